//! What a failed request shows: as an error, or as a value if the policy wants that.
//!
//! Apart because the two texts differ: a value names the place and the code of a fault of ours, an error has them
//! beside it. It knows nothing of why a request failed.

use lictor_value::Value;

use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::go_text::quote;
use crate::http::HttpFault;

/// The code of faults of the network.
const NETWORK_CODE: &str = "eval_http_send_network_error";
/// The code of all others.
const INTERNAL_CODE: &str = "eval_http_send_internal_error";

/// Why a request has no answer.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// A fault whose text as a value has its place and its code before it.
    Placed { error: BuiltinError, position: String },
    /// A fault whose text as a value stands alone.
    Plain(String),
    /// A fault of the network: the method, where to, what happened, whether the time was over.
    Network { operation: String, url: String, text: String, timed_out: bool },
}

/// Returns a fault at the place of the call.
pub(super) fn placed(ctx: Context<'_>, error: &BuiltinError) -> Fault {
    let mut position = String::new();
    ctx.caches.with_position(|it| position.push_str(it));
    Fault::Placed { error: error.clone(), position }
}

/// Returns what a fault of the host is for the policy.
pub(super) fn of_host(ctx: Context<'_>, fault: HttpFault) -> Fault {
    match fault {
        HttpFault::Failed(text) | HttpFault::Cancelled(text) => placed(ctx, &BuiltinError::value(text)),
        HttpFault::Kept(text) => Fault::Plain(text),
        HttpFault::Network { operation, url, text, timed_out } => {
            Fault::Network { operation, url, text, timed_out }
        }
    }
}

impl Fault {
    /// Returns the error that the call ends with.
    pub(super) fn raised(self) -> BuiltinError {
        match self {
            Self::Placed { error, .. } => error,
            Self::Plain(text) => BuiltinError::value(text),
            Self::Network { operation, url, timed_out: true, .. } => {
                BuiltinError::value(format!("{operation} {url}: request timed out"))
            }
            Self::Network { operation, url, text, timed_out: false } => {
                BuiltinError::value(format!("{operation} {}: {text}", quote(url)))
            }
        }
    }

    /// Returns the answer that says so.
    pub(super) fn as_value<'e>(&self, ctx: Context<'e>) -> Value<'e> {
        let text = |it: &str| ctx.arena.string(it);
        let (code, message) = match self {
            Self::Placed { error, position } => {
                let place = if position.is_empty() { String::new() } else { format!("{position}: ") };
                (INTERNAL_CODE, format!("{place}{}: http.send: {error}", code(error.kind())))
            }
            Self::Plain(message) => (INTERNAL_CODE, message.clone()),
            Self::Network { operation, url, text, .. } => {
                (NETWORK_CODE, format!("{operation} {}: {text}", quote(url)))
            }
        };
        let mut inner = vec![(text("code"), text(code)), (text("message"), text(&message))];
        let error = ctx.arena.object(&mut inner);
        let mut pairs = vec![(text("status_code"), ctx.arena.int(0)), (text("error"), error)];
        ctx.arena.object(&mut pairs)
    }
}

fn code(kind: ErrorKind) -> &'static str {
    kind.code()
}
