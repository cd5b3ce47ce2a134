//! The fuzzer of the target `x509`.
//!
//! What it asserts is in the testkit, beside the replay of the seeds.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lictor_testkit::fuzz::run_target("x509", bytes);
});
