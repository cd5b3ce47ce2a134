# entrypoints: doors/night doors/each doors/mocked
package doors

open(hour) if hour < data.settings.closing

allow if open(input.hour)

night if allow with data.settings.closing as 6 with input.hour as 3

each := [hour | hour := data.hours[_] with data.hours as input.hours]

mocked := [answer | some answer in [true, false]; allow with open as answer]
