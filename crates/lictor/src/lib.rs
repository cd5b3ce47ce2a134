//! The embeddable engine: policy and data in, decision out.
