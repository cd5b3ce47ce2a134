//! Corpora, oracles and runners for tests.
