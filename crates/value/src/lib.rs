//! Values, numbers and JSON text.
