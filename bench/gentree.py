#!/usr/bin/env python3
"""Writes a large tree of policies with tests, from a fixed seed: `gentree.py OUT [MODULES]`.

Each service has a policy and its tests; libraries are shared. A few tests fail, end with an error, print or are to be
done, so that verdicts have something to differ in.
"""

import pathlib
import random
import sys

LIB = '''# METADATA
# title: helpers of {name}
package lib.{name}

import data.lib.base

default limit := {limit}

limit := data.settings.{name}.limit

is_owner(user, thing) if thing.owner == user.name

is_owner(user, thing) if {{
	some group in user.groups
	group in thing.owners
}}

members contains member if {{
	some group, list in data.groups
	startswith(group, "{name}")
	some member in list
}}

score(items) := sum([item.weight | some item in items; item.active]) + base.offset
'''

BASE = '''package lib.base

offset := 3

path_parts(path) := [part | some part in split(trim(path, "/"), "/"); part != ""]

within(value, low, high) if {
	value >= low
	value <= high
}
'''

POLICIES = [
    '''package {package}

import data.lib.base
import data.lib.{lib}

default allow := false

allow if {{
	input.method == "GET"
	["{service}", _] = base.path_parts(input.path)
}}

allow if {{
	"admin" in input.user.roles
	not denied
}}

allow if {lib}.is_owner(input.user, input.thing)

denied if input.user.name in data.blocked

denied if {{
	some rule in rules
	rule.method == input.method
	glob.match(rule.path, ["/"], input.path)
}}

rules := [
	{{"method": "DELETE", "path": "/{service}/*"}},
	{{"method": "PUT", "path": "/{service}/*/config"}},
	{{"method": "POST", "path": "/{service}/{number}"}},
]

violations contains msg if {{
	input.size > {lib}.limit
	msg := sprintf("%s: %d is more than %d", [input.path, input.size, {lib}.limit])
}}

violations contains "no user" if not input.user

level := "high" if {{
	{lib}.score(input.items) > {number}
}} else := "middle" if {{
	{lib}.score(input.items) > 10
}} else := "low"
''',
    '''package {package}

import data.lib.{lib}

grants[role] contains action if {{
	some role, actions in data.roles.{service}
	some action in actions
}}

may(user, action) if {{
	some role in user.roles
	action in grants[role]
}}

allow if may(input.user, input.action)

allow if {{
	input.action == "read"
	every tag in input.tags {{
		tag in {{"public", "{service}"}}
	}}
}}

report := {{
	"user": input.user.name,
	"actions": sort([action | some role in input.user.roles; some action in grants[role]]),
	"members": count({lib}.members),
	"quota": quota,
}}

quota := {number} if count(input.user.roles) > 2

quota := 5 if count(input.user.roles) <= 2
''',
    '''package {package}

import data.lib.base

deny contains {{"code": "E1", "msg": msg}} if {{
	some name, box in input.spec.containers
	not startswith(box.image, "registry.example/{service}/")
	msg := sprintf("container %v has a strange image", [name])
}}

deny contains {{"code": "E2", "msg": "privileged"}} if {{
	some box in input.spec.containers
	box.privileged
}}

deny contains {{"code": "E3", "msg": msg}} if {{
	some key in ["team", "cost", "{service}"]
	not input.labels[key]
	msg := concat(" ", ["label", key, "is missing"])
}}

replicas_fit if base.within(input.spec.replicas, 1, {number})

ports[name] := port if {{
	some name, box in input.spec.containers
	some port in box.ports
	port > 1024
}}

allow if {{
	count(deny) == 0
	replicas_fit
}}
''',
]

TESTS = [
    '''package {package}_test

import data.{package}

user := {{"name": "ann", "roles": ["viewer"], "groups": ["{lib}-a"]}}

test_get_allowed if {module}.allow with input as {{"method": "GET", "path": "/{service}/7"}}

test_post_denied if {{
	not {module}.allow with input as {{"method": "POST", "path": "/{service}/7", "user": user}}
}}

test_admin_allowed if {{
	{module}.allow with input as {{"method": "GET", "path": "/x", "user": {{"name": "bob", "roles": ["admin"]}}}}
}}

test_blocked_admin if {{
	not {module}.allow with input as {{"method": "POST", "path": "/x", "user": {{"name": "eve", "roles": ["admin"]}}}}
		with data.blocked as ["eve"]
}}

test_owner if {{
	{module}.allow with input as {{"method": "POST", "path": "/", "user": user, "thing": {{"owners": ["{lib}-a"]}}}}
}}

test_violations if {{
	print("limit of {service}")
	{module}.violations == {{"/a: 900 is more than 100", "no user"}} with input as {{"size": 900, "path": "/a"}}
		with data.lib.{lib}.limit as 100
}}

test_level[case.want] if {{
	some case in [
		{{"want": "low", "weight": 1}},
		{{"want": "middle", "weight": 9}},
		{{"want": "high", "weight": {number}}},
	]
	{module}.level == case.want with input.items as [{{"weight": case.weight, "active": true}}]
}}
''',
    '''package {package}_test

import data.{package}

roles := {{"{service}": {{"dev": ["read", "write"], "ops": ["restart"], "lead": ["write", "sign"]}}}}

test_dev_writes if {{
	{module}.allow with input as {{"user": {{"roles": ["dev"]}}, "action": "write"}} with data.roles as roles
}}

test_dev_does_not_sign if {{
	not {module}.allow with input as {{"user": {{"roles": ["dev"]}}, "action": "sign"}} with data.roles as roles
}}

test_public if {module}.allow with input as {{"action": "read", "tags": ["public"], "user": {{"roles": []}}}}

test_report if {{
	got := {module}.report with input as {{"user": {{"name": "ann", "roles": ["dev", "ops"]}}}}
		with data.roles as roles
	got.actions == ["read", "restart", "write"]
	got.quota == 5
}}

test_mocked if {{
	{module}.allow with input as {{"user": {{"roles": []}}, "action": "x"}} with {module}.may as true
}}

test_count if {module}.report.members == 9 with count as 9
	with input as {{"user": {{"name": "a", "roles": ["dev", "ops", "lead"]}}}}

todo_test_later if false
''',
    '''package {package}_test

import data.{package}

pod := {{
	"labels": {{"team": "a", "cost": "1", "{service}": "x"}},
	"spec": {{"replicas": 2, "containers": {{"web": {{"image": "registry.example/{service}/web:1", "ports": [8080]}}}}}},
}}

test_fine if {module}.allow with input as pod

test_image if {{
	bad := json.patch(pod, [{{"op": "replace", "path": "/spec/containers/web/image", "value": "evil"}}])
	{module}.deny == {{{{"code": "E1", "msg": "container web has a strange image"}}}} with input as bad
}}

test_labels[key] if {{
	some key in ["team", "cost", "{service}"]
	found := {module}.deny with input as object.union(pod, {{"labels": {{key: false}}}})
	some fault in found
	fault.msg == sprintf("label %s is missing", [key])
}}

test_privileged if {{
	{{"code": "E2", "msg": "privileged"}} in {module}.deny with input.spec.containers as {{"a": {{"privileged": true}}}}
}}

test_ports if {module}.ports == {{"web": 8080}} with input as pod

test_replicas if not {module}.replicas_fit with input.spec.replicas as 100000
''',
]

ODD = [
    '\ntest_wrong if {module}.allow with input as {{"none": 1}}\n',
    '\ntest_conflict if value == 1 with input as {{"a": 1, "b": 2}}\n\nvalue := 1 if input.a\n\nvalue := 2 if input.b\n',
    '\ntest_printed if {{\n\tprint("{service}", {number})\n\tfalse\n}}\n',
]


def main(out, modules):
    rng = random.Random(7)
    root = pathlib.Path(out)
    libs = [f"lib{n:02}" for n in range(20)]
    (root / "lib").mkdir(parents=True, exist_ok=True)
    (root / "lib" / "base.rego").write_text(BASE)
    for lib in libs:
        text = LIB.format(name=lib, limit=rng.randrange(50, 500))
        (root / "lib" / f"{lib}.rego").write_text(text)
    count = max(1, (modules - len(libs) - 1) // 2)
    for at in range(count):
        team, service = f"team{at % 25:02}", f"svc{at:04}"
        package = f"{team}.{service}"
        words = {
            "package": package,
            "module": service,
            "service": service,
            "lib": rng.choice(libs),
            "number": rng.randrange(20, 90),
        }
        kind = rng.randrange(len(POLICIES))
        folder = root / team
        folder.mkdir(exist_ok=True)
        (folder / f"{service}.rego").write_text(POLICIES[kind].format(**words))
        tests = TESTS[kind].format(**words)
        if at % 40 == 0:
            tests += ODD[at // 40 % len(ODD)].format(**words)
        (folder / f"{service}_test.rego").write_text(tests)
    (root / "data.json").write_text(
        '{"blocked": ["mallory"], "groups": {"lib00-a": ["x", "y"], "lib01-b": ["z"]}, "settings": {}, "roles": {}}\n'
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000)
