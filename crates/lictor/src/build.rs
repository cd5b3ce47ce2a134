//! The stages in their order: check, lower, optimize, compile; and the built-ins that they know.

use lictor_hir::tree::{Hir, Query};
use lictor_plan::passes::{self, Folded, Passes};
use lictor_plan::{BuiltinFacts, BuiltinLookup, Plan};
use lictor_runtime::{NullHost, builtins};
use lictor_syntax::Diagnostic;
use lictor_syntax::ast::Module;
use lictor_value::{Document, Value};
use lictor_vm::{Decision, Derived, Input, Limits, Program, Request, Scratch};

use crate::engine::Options;
use crate::faults::Faults;
use crate::policy::QueryOptions;

/// What a rule may take that is evaluated while compiling.
const FOLD_LIMITS: Limits = Limits { steps_max: 1_000_000, bytes_max: 64 << 20, depth_max: 1_000 };
