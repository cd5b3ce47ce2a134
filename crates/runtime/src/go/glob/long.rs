//! Globs for long texts: the steps of a glob as steps of the linear search of regular expressions.
//!
//! Apart because it alone knows both kinds of steps. The search reads the text from its end and remembers the sets of
//! steps that it met, so that most characters cost one look-up however many steps there are.

use super::Step;
use super::lex::complement;
use crate::go::regex::linear::{self, Linear, Ranges, StepId};

/// Returns nothing for a pattern that is too large.
pub(super) fn linear(steps: &[Step], delimiters: &[char]) -> Option<Linear> {
    let delimiters = delimiters.iter().map(|it| (u32::from(*it), u32::from(*it))).collect();
    let mut maker = Maker { within: complement(delimiters), takes: Vec::new(), stars: Vec::new() };
    let end = steps.len();
    let mut made: Vec<_> = steps.iter().enumerate().map(|(at, step)| maker.step(at, step, end)).collect();
    made.push(maker.take(Ranges::new(), end + 1));
    made.push(linear::Step::Match);
    made.extend(maker.stars);
    Linear::whole(made, maker.takes)
}

struct Maker {
    /// What stands between delimiters.
    within: Ranges,
    takes: Vec<(Ranges, StepId)>,
    /// Steps that come behind the last one: where stars take a character.
    stars: Vec<linear::Step>,
}

impl Maker {
    /// Makes a step that has the same number; `end` is that of the end of the text.
    fn step(&mut self, at: StepId, step: &Step, end: StepId) -> linear::Step {
        match step {
            Step::Char(it) => self.take(vec![(u32::from(*it), u32::from(*it))], at + 1),
            Step::Any => self.take(self.within.clone(), at + 1),
            Step::Class(class) => self.take(class.ranges(), at + 1),
            Step::Star { crosses } => {
                let ranges = if *crosses { complement(Ranges::new()) } else { self.within.clone() };
                let take = self.take(ranges, at);
                self.stars.push(take);
                linear::Step::Split(vec![end + 1 + self.stars.len(), at + 1])
            }
            Step::Split(targets) => linear::Step::Split(targets.clone()),
            Step::Jump(target) => linear::Step::Split(vec![*target]),
        }
    }

    fn take(&mut self, ranges: Ranges, next: StepId) -> linear::Step {
        self.takes.push((ranges, next));
        linear::Step::Take(self.takes.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::go::glob::{Glob, Shape};

    const PARTS: &[&str] = &[
        "a",
        "b",
        "é",
        "*",
        "**",
        "?",
        "/",
        "[ab]",
        "[!a]",
        "[a-c]",
        "[!/]",
        "[/]",
        "[!é-λ]",
        "{a,b}",
        "{*a,*ca}",
        "{,a}",
        "{*,/}",
        "{**,b?}",
        "{a,{b,*c}}",
        "{?,[!b]/}",
        "{{},a}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn agrees_with_following_all_steps(
            parts in prop::collection::vec(prop::sample::select(PARTS), 0..6),
            text in "[abc/éλ日]{0,8}[ab]{0,4}",
            delimiters in prop::sample::subsequence(vec!['/', 'a', 'é'], 0..=3),
            times in prop::sample::select(&[1, 1, 1, 40][..]),
        ) {
            let pattern = parts.concat().repeat(times);
            let text = text.repeat(times);
            let glob = Glob::new(&pattern, &delimiters).expect("a pattern");
            let Shape::Program(program) = &glob.shape else { return Ok(()) };
            let found = linear(&program.steps, &delimiters).and_then(|it| it.is_whole_match(&text));
            prop_assert_eq!(found, Some(glob.run(&program.steps, &text)), "{} on {}", pattern, text);
        }
    }

    #[test]
    fn what_is_too_large_is_left() {
        let glob = Glob::new(&"{a,*b}".repeat(5000), &[]).expect("a pattern");
        let Shape::Program(program) = &glob.shape else { return };
        assert!(linear(&program.steps, &[]).is_none());
        assert!(glob.is_match(&"a".repeat(5000)));
    }
}
