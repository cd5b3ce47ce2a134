//! `io.jwt.decode`: what a token says, unverified.
//!
//! A token whose content is a token is opened to the innermost. Nothing here may be trusted, and nothing here
//! looks at keys.

use lictor_value::Value;

use crate::builtins::encoding::hex_value;
use crate::builtins::operands::{Answer, answer, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go_text::lossy;

use super::{Token, json_object, prefixed};

/// Each round shortens the text by a quarter, so nesting ends by itself.
pub(super) fn decode<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut text = string(args, 0)?.to_owned();
    loop {
        let token = Token::split(&text)?;
        let header = token.header(ctx)?;
        let payload = token.payload()?;
        if let Some(cty) = header.get("cty") {
            // OPA fails as a whole here.
            let cty = cty.as_str().ok_or_else(|| BuiltinError::value("cty: must be a string"))?;
            if cty == "JWT" {
                let inner = lossy(&payload);
                text = inner.trim_matches(['"', '\'']).to_owned();
                continue;
            }
        }
        let payload = json_object(ctx, &payload)?;
        let signature =
            token.signature().map_err(|it| prefixed("JWT signature had invalid encoding", &it))?;
        let signature = hex_value(ctx, &signature);
        return answer(ctx.arena.array(&[header.0, payload.0, signature]));
    }
}
