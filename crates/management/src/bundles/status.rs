//! What is told of bundles: what is active, what was tried last and how that went.
//!
//! Names and order of the fields are OPA's, since its users read them. Times are told as they were when something
//! happened; nothing here decides anything.

use std::collections::BTreeMap;

use lictor::{Arena, BundleFault, Diagnostic, time_text};

/// Go's layout for times with as many digits as they need.
const LAYOUT: &str = "2006-01-02T15:04:05.999999999Z07:00";
/// Go's time before all others.
const NEVER: &str = "0001-01-01T00:00:00Z";
/// What stands for the faults of modules, which are told one by one.
const COMPILE_MESSAGE: &str = "error(s) occurred while compiling module(s)";

/// Why a bundle could not be loaded or activated.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// The server answered with a status that is no bundle.
    Http { code: u16, message: String },
    /// Anything else, in OPA's words.
    Text(String),
    /// Modules are at fault.
    Rego(lictor::Faults),
}

impl From<BundleFault> for Trouble {
    fn from(fault: BundleFault) -> Self {
        match fault {
            BundleFault::Rego(faults) => Self::Rego(faults),
            BundleFault::Text(text) => Self::Text(text),
        }
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Http { message, .. } | Self::Text(message) => f.write_str(message),
            Self::Rego(faults) => faults.fmt(f),
        }
    }
}

/// Times that steps took, by OPA's names.
pub(crate) type Timers = BTreeMap<&'static str, u64>;

/// Is what is known of one bundle. Times are nanoseconds since the epoch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Status {
    pub(crate) active_revision: String,
    pub(crate) last_activation_ns: Option<i64>,
    pub(crate) kind: &'static str,
    pub(crate) size: u64,
    pub(crate) last_download_ns: Option<i64>,
    pub(crate) last_success_ns: Option<i64>,
    pub(crate) last_request_ns: Option<i64>,
    pub(crate) trouble: Option<Trouble>,
    pub(crate) timers: Option<Timers>,
}

impl Status {
    /// Says whether the bundle does not keep the server from being ready.
    pub(crate) fn is_activated(&self) -> bool {
        self.last_activation_ns.is_some() && !matches!(self.trouble, Some(Trouble::Rego(_)))
    }

    /// Writes the object.
    pub(crate) fn write_json(&self, name: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"name\":");
        string(name, out);
        if !self.active_revision.is_empty() {
            text_field("active_revision", &self.active_revision, out);
        }
        time_field("last_successful_activation", self.last_activation_ns, out);
        if !self.kind.is_empty() {
            text_field("type", self.kind, out);
        }
        if self.size > 0 {
            out.extend_from_slice(format!(",\"size\":{}", self.size).as_bytes());
        }
        time_field("last_successful_download", self.last_download_ns, out);
        time_field("last_successful_request", self.last_success_ns, out);
        time_field("last_request", self.last_request_ns, out);
        if let Some(trouble) = &self.trouble {
            write_trouble(trouble, out);
        }
        if let Some(timers) = &self.timers {
            let timers = timers.iter().map(|(name, ns)| format!("\"timer_{name}_ns\":{ns}"));
            let timers: Vec<String> = timers.collect();
            out.extend_from_slice(format!(",\"metrics\":{{{}}}", timers.join(",")).as_bytes());
        }
        if let Some(Trouble::Http { code, .. }) = self.trouble {
            out.extend_from_slice(format!(",\"http_code\":{code}").as_bytes());
        }
        out.push(b'}');
    }
}

fn write_trouble(trouble: &Trouble, out: &mut Vec<u8>) {
    text_field("code", "bundle_error", out);
    let Trouble::Rego(faults) = trouble else {
        text_field("message", &trouble.to_string(), out);
        return;
    };
    text_field("message", COMPILE_MESSAGE, out);
    for (index, fault) in faults.diagnostics().iter().enumerate() {
        out.extend_from_slice(if index == 0 { b",\"errors\":[" } else { b"," });
        write_fault(fault, out);
    }
    out.push(b']');
}

fn write_fault(fault: &Diagnostic, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"code\":");
    string(fault.code, out);
    text_field("message", &fault.message, out);
    if let Some(at) = &fault.location {
        out.extend_from_slice(b",\"location\":{\"file\":");
        string(&at.file, out);
        out.extend_from_slice(format!(",\"row\":{},\"col\":{}}}", fault.row(), fault.col()).as_bytes());
    }
    out.push(b'}');
}

fn text_field(name: &str, text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!(",\"{name}\":").as_bytes());
    string(text, out);
}

fn time_field(name: &str, time_ns: Option<i64>, out: &mut Vec<u8>) {
    let text = time_ns.map_or_else(|| NEVER.to_owned(), |it| time_text(it, LAYOUT));
    text_field(name, &text, out);
}

pub(crate) fn string(text: &str, out: &mut Vec<u8>) {
    let arena = Arena::new();
    arena.string(text).write_json(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(status: &Status) -> String {
        let mut out = Vec::new();
        status.write_json("b", &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn fields_are_those_of_opa() {
        let never = r#""last_successful_download":"0001-01-01T00:00:00Z","last_successful_request":"0001-01-01T00:00:00Z","last_request":"0001-01-01T00:00:00Z""#;
        assert_eq!(
            json(&Status::default()),
            format!(r#"{{"name":"b","last_successful_activation":"0001-01-01T00:00:00Z",{never}}}"#)
        );
        let status = Status {
            active_revision: "r1".to_owned(),
            last_activation_ns: Some(1_500_000_000),
            kind: "snapshot",
            size: 7,
            trouble: Some(Trouble::Http { code: 404, message: "server replied with Not Found".to_owned() }),
            timers: Some([("bundle_request", 5)].into()),
            ..Status::default()
        };
        let told = json(&status);
        assert!(told.starts_with(
            r#"{"name":"b","active_revision":"r1","last_successful_activation":"1970-01-01T00:00:01.5Z","type":"snapshot","size":7,"#
        ), "{told}");
        assert!(told.ends_with(
            r#","code":"bundle_error","message":"server replied with Not Found","metrics":{"timer_bundle_request_ns":5},"http_code":404}"#
        ), "{told}");
    }
}
