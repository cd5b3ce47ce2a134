//! Reads a request's body within its limits.
//!
//! Apart because every endpoint shares the limits and the encodings. It knows bytes; what they hold is the endpoint's
//! business.

use std::io::Read as _;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderMap};

use crate::config::Config;

/// Reads a body to its end and expands it.
///
/// # Errors
///
/// The text for the client: the body is too large, cannot be expanded, or ended early.
pub(crate) async fn read(body: Incoming, headers: &HeaderMap, config: &Config) -> Result<Bytes, String> {
    let max = config.body_bytes_max;
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    if let Some(size) = body.size_hint().exact().filter(|it| *it > max) {
        return Err(format!(
            "request body too large: {size} exceeds limit of {max} bytes (server.decoding.max_length)"
        ));
    }
    let limited = Limited::new(body, usize::try_from(max).unwrap_or(usize::MAX));
    let collected = limited.collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() {
            format!("request body too large: exceeds limit of {max} bytes (server.decoding.max_length)")
        } else {
            format!("could not read the body: {error}")
        }
    })?;
    let bytes = collected.to_bytes();
    let encoding = headers.get(CONTENT_ENCODING).and_then(|it| it.to_str().ok()).unwrap_or_default();
    if encoding.contains("gzip") { expand(&bytes, config.expanded_bytes_max) } else { Ok(bytes) }
}

fn expand(bytes: &[u8], max: u64) -> Result<Bytes, String> {
    let mut expanded = Vec::new();
    let mut decoder = MultiGzDecoder::new(bytes).take(max.saturating_add(1));
    decoder.read_to_end(&mut expanded).map_err(|error| format!("could not decompress the body: {error}"))?;
    if u64::try_from(expanded.len()).unwrap_or(u64::MAX) > max {
        return Err(format!(
            "request body too large: exceeds limit of {max} bytes (server.decoding.gzip.max_length)"
        ));
    }
    Ok(Bytes::from(expanded))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    #[test]
    fn compressed_bodies_are_expanded_within_the_limit() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"{\"input\":1}").expect("written");
        let bytes = encoder.finish().expect("written");
        assert_eq!(expand(&bytes, 100).as_deref(), Ok(b"{\"input\":1}".as_slice()));
        assert!(expand(&bytes, 5).expect_err("too large").contains("gzip.max_length"));
        assert!(expand(b"x", 5).expect_err("no gzip").starts_with("could not decompress"));
    }
}
