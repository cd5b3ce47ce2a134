//! An answer as policies see it: status, headers as Go leaves them, a body that is read whole within a limit.
//!
//! Apart from sending because a body can fail on its own. It knows nothing of where the answer came from.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::ext::ReasonPhrase;
use hyper::http::response::Parts;
use hyper::{HeaderMap, Response};
use lictor::http::HttpResponse;

use crate::http::fault;

/// A shorter text has no header of gzip.
const GZIP_HEADER_BYTES: usize = 10;

/// Reads an answer.
pub(crate) async fn read(
    response: Response<Incoming>,
    is_head: bool,
    asked_gzip: bool,
    bytes_max: usize,
) -> Result<HttpResponse, String> {
    let (parts, mut incoming) = response.into_parts();
    let mut body = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(|it| fault::body_text(&it))?;
        let Ok(data) = frame.into_data() else { continue };
        if body.len() + data.len() > bytes_max {
            return Err(too_large(bytes_max));
        }
        body.extend_from_slice(&data);
    }
    let mut headers = headers(&parts.headers);
    let has_header = |name: &str, value: &str| {
        headers.iter().any(|it| it.0 == name && it.1.first().is_some_and(|it| it.eq_ignore_ascii_case(value)))
    };
    let is_empty = is_head || has_header("content-length", "0");
    if asked_gzip && !is_empty && has_header("content-encoding", "gzip") {
        body = expanded(&body, bytes_max)?;
        headers.retain(|it| !matches!(it.0.as_str(), "content-encoding" | "content-length"));
    }
    Ok(HttpResponse { status: status(&parts), status_code: parts.status.as_u16(), headers, body })
}

fn too_large(bytes_max: usize) -> String {
    format!("the body of the response is larger than {bytes_max} bytes")
}

fn status(parts: &Parts) -> String {
    let code = parts.status.as_str();
    match parts.extensions.get::<ReasonPhrase>() {
        Some(reason) => format!("{code} {}", header_text(reason.as_bytes())),
        None => format!("{code} {}", parts.status.canonical_reason().unwrap_or("")),
    }
}

/// Returns the text of a header.
pub(crate) fn header_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the headers that are left when those of the transport are taken out.
fn headers(map: &HeaderMap) -> Vec<(String, Vec<String>)> {
    let mut headers: Vec<(String, Vec<String>)> = Vec::with_capacity(map.keys_len());
    for name in map.keys() {
        let values = map.get_all(name).iter().map(|it| header_text(it.as_bytes())).collect();
        headers.push((name.as_str().to_owned(), values));
    }
    let is_chunked = headers.iter().any(|it| it.0 == "transfer-encoding");
    let closes = |it: &(String, Vec<String>)| {
        let tokens = it.1.iter().flat_map(|it| it.split(','));
        it.0 == "connection" && tokens.into_iter().any(|it| it.trim().eq_ignore_ascii_case("close"))
    };
    headers.retain(|it| {
        let name = it.0.as_str();
        let is_framing = matches!(name, "transfer-encoding" | "trailer") || closes(it);
        !(is_framing || is_chunked && name == "content-length")
    });
    let has = |name: &str| headers.iter().find(|it| it.0 == name).and_then(|it| it.1.first());
    if has("pragma").is_some_and(|it| it == "no-cache") && has("cache-control").is_none() {
        headers.push(("cache-control".to_owned(), vec!["no-cache".to_owned()]));
    }
    headers.sort();
    headers
}

fn expanded(body: &[u8], bytes_max: usize) -> Result<Vec<u8>, String> {
    if body.is_empty() {
        return Ok(Vec::new());
    }
    if body.len() < GZIP_HEADER_BYTES {
        return Err(fault::SHORT_BODY.to_owned());
    }
    if !body.starts_with(&[0x1f, 0x8b]) {
        return Err("gzip: invalid header".to_owned());
    }
    let mut out = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    let read = MultiGzDecoder::new(body).take(limit).read_to_end(&mut out);
    match read {
        Ok(_) if out.len() > bytes_max => Err(too_large(bytes_max)),
        Ok(_) => Ok(out),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(fault::SHORT_BODY.to_owned()),
        Err(_) => Err("gzip: invalid checksum".to_owned()),
    }
}
