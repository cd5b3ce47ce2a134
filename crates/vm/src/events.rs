//! The one hook on what happens: print, trace, coverage, profile and debugger stand on it.
//!
//! The machine is compiled twice, with the hook and without, so that it costs nothing when it is off. Run it on a plan
//! without passes: they drop and move what a policy's author wants to see.

use crate::error::Position;

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventKind {
    /// A rule or function is evaluated.
    Enter,
    /// It gave a value, or none.
    Exit,
    /// The next item of an iteration is taken.
    Redo,
    /// A statement is undefined.
    Fail,
    /// The policy said something by `trace`.
    Note,
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// What happened.
    pub kind: EventKind,
    /// The path of the rule or function, `data.a.p`.
    pub rule: &'a str,
    /// Where, if it is known.
    pub position: Option<Position>,
    /// How many calls are open.
    pub depth: usize,
    /// What a note says, or the value of an exit as a Rego term.
    pub text: Option<String>,
}

/// Takes events.
pub trait EventSink {
    /// Takes one event.
    fn event(&mut self, event: &Event<'_>);
}

/// What the machine is compiled with.
pub(crate) trait Hook {
    /// Whether there is a sink at all.
    const ON: bool;

    fn event(&mut self, event: &Event<'_>);
}

/// No sink.
#[derive(Debug)]
pub(crate) struct Off;

impl Hook for Off {
    const ON: bool = false;

    fn event(&mut self, _: &Event<'_>) {}
}

/// A sink.
pub(crate) struct On<'s>(pub(crate) &'s mut dyn EventSink);

impl Hook for On<'_> {
    const ON: bool = true;

    fn event(&mut self, event: &Event<'_>) {
        self.0.event(event);
    }
}
