//! Scenario folders of `lictor bench --dir`.
