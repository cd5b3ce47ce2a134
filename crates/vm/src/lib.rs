//! The virtual machine that runs a plan.
