//! Text behaviour that must equal Go's, free of values.
