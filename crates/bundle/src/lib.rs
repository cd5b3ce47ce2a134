//! The bundle format, streamed.
