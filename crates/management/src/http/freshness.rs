//! Until when an answer holds, by its headers.
//!
//! Only what OPA looks at counts: `cache-control` with `no-store` and `max-age`, `date`, `expires`. It knows headers
//! and no clock.

use std::collections::HashMap;
use std::time::UNIX_EPOCH;

use lictor::http::HttpResponse;

/// Older than every time: what has no time of its own is never fresh.
const NEVER_NS: i64 = i64::MIN;

const NS_PER_SECOND: i64 = 1_000_000_000;

/// Returns the time so many seconds later.
pub(crate) fn after(now_ns: i64, seconds: i32) -> i64 {
    now_ns.saturating_add(i64::from(seconds).saturating_mul(NS_PER_SECOND))
}

/// Says whether the answer may be kept.
pub(crate) fn may_store(answer: &HttpResponse) -> bool {
    !directives(answer).contains_key("no-store")
}

/// Returns the time from which the answer is not fresh any more.
pub(crate) fn expiry_ns(answer: &HttpResponse) -> Result<i64, String> {
    let Some(max_age) = directives(answer).remove("max-age") else {
        let expires = answer.header("expires").and_then(|it| time_ns(it).ok());
        return Ok(expires.unwrap_or(NEVER_NS));
    };
    let seconds = seconds(&max_age)?;
    let date = answer.header("date").filter(|it| !it.is_empty()).ok_or("no date header")?;
    Ok(after(time_ns(date)?, seconds))
}

/// Reads seconds as Go does: more than fit are the most that fit.
fn seconds(text: &str) -> Result<i32, String> {
    if text.is_empty() || !text.bytes().all(|it| it.is_ascii_digit()) {
        return Err(format!("strconv.ParseUint: parsing {text:?}: invalid syntax"));
    }
    Ok(text.parse().unwrap_or(i32::MAX))
}

fn time_ns(text: &str) -> Result<i64, String> {
    let fault = || {
        format!(
            "parsing time {text:?} as \"Mon, 02 Jan 2006 15:04:05 GMT\": cannot parse {text:?} as \"Mon\""
        )
    };
    let time = httpdate::parse_http_date(text).map_err(|_| fault())?;
    let since = time.duration_since(UNIX_EPOCH).map_err(|_| fault())?;
    i64::try_from(since.as_nanos()).map_err(|_| fault())
}

/// Reads the directives of the first `cache-control`; one with two equal signs is none.
fn directives(answer: &HttpResponse) -> HashMap<String, String> {
    let header = answer.header("cache-control").unwrap_or("");
    let mut directives = HashMap::new();
    for part in header.split(',').map(|it| it.trim_matches(' ')).filter(|it| !it.is_empty()) {
        match part.split_once('=') {
            None => drop(directives.insert(part.to_owned(), String::new())),
            Some((_, value)) if value.contains('=') => {}
            Some((name, value)) => {
                drop(directives.insert(name.trim_matches(' ').to_owned(), value.to_owned()));
            }
        }
    }
    directives
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(headers: &[(&str, &str)]) -> HttpResponse {
        let headers = headers.iter().map(|it| (it.0.to_owned(), vec![it.1.to_owned()]));
        HttpResponse {
            status: "200 OK".to_owned(),
            status_code: 200,
            headers: headers.collect(),
            body: Vec::new(),
        }
    }

    #[test]
    fn headers_say_how_long() {
        let date = ("date", "Thu, 01 Jan 1970 00:01:00 GMT");
        for (control, wanted) in [
            ("max-age=40", Ok(100)),
            ("public, max-age=40, x=y=z", Ok(100)),
            ("max-age = 40", Err("strconv.ParseUint: parsing \" 40\": invalid syntax".to_owned())),
            ("max-age=99999999999", Ok(60 + i64::from(i32::MAX))),
            ("max-age=-1", Err("strconv.ParseUint: parsing \"-1\": invalid syntax".to_owned())),
        ] {
            let got = expiry_ns(&answer(&[date, ("cache-control", control)]));
            assert_eq!(got.map(|it| it / NS_PER_SECOND), wanted, "{control}");
        }
        assert_eq!(expiry_ns(&answer(&[("expires", date.1)])), Ok(60 * NS_PER_SECOND));
        assert_eq!(expiry_ns(&answer(&[("expires", "0")])), Ok(NEVER_NS));
        assert_eq!(expiry_ns(&answer(&[("cache-control", "max-age=1")])), Err("no date header".to_owned()));
        assert!(may_store(&answer(&[])) && !may_store(&answer(&[("cache-control", "a, no-store")])));
    }
}
