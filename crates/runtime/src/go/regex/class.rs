//! Character classes of Go's regular expressions.
//!
//! Holds the named ASCII groups (`\d`, `[:alpha:]`), the Unicode groups behind `\p{…}` and
//! the set type that the parser collects class items in. Go's Perl classes are ASCII, its
//! Unicode tables are those of version 15.0, and `\p{…}` knows categories, their long
//! names and scripts only. This module must not know of escapes or of pattern text.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// A set of code points collected item by item; surrogates cannot occur in text and drop out.
#[derive(Debug, Default)]
pub(super) struct ClassSet {
    ranges: Vec<ClassUnicodeRange>,
}

impl ClassSet {
    /// Adds the code points from `lo` to `hi`, with their case variants if `fold`.
    pub(super) fn push_range(&mut self, lo: u32, hi: u32, fold: bool) {
        let Some(range) = scalar_range(lo, hi) else {
            return;
        };
        if fold {
            self.push_class(&folded(ClassUnicode::new([range])));
        } else {
            self.ranges.push(range);
        }
    }

    /// Adds a group or, if `negated`, everything outside it; folding comes first.
    pub(super) fn push_group(&mut self, group: ClassUnicode, negated: bool, fold: bool) {
        let group = if fold { folded(group) } else { group };
        self.push_class(&if negated { complement(&group) } else { group });
    }

    /// Returns the set, or its complement.
    pub(super) fn finish(self, negated: bool) -> ClassUnicode {
        let class = ClassUnicode::new(self.ranges);
        if negated { complement(&class) } else { class }
    }

    fn push_class(&mut self, class: &ClassUnicode) {
        self.ranges.extend(class.iter().copied());
    }
}

/// Returns the set of one character and, if `fold`, its case variants.
pub(super) fn single(c: u32, fold: bool) -> ClassUnicode {
    let mut set = ClassSet::default();
    set.push_range(c, c, fold);
    set.finish(false)
}

/// Returns every code point outside the class. (The library's own negation goes wrong for
/// a class that ends just below and starts again just above the surrogates.)
fn complement(class: &ClassUnicode) -> ClassUnicode {
    let mut gaps = Vec::with_capacity(class.ranges().len() + 1);
    let mut next = 0;
    for range in class.iter() {
        let start = u32::from(range.start());
        gaps.extend(start.checked_sub(1).and_then(|last| scalar_range(next, last)));
        next = u32::from(range.end()) + 1;
    }
    gaps.extend(scalar_range(next, u32::from(char::MAX)));
    ClassUnicode::new(gaps)
}

/// Returns the class with all case variants, as of Unicode 15.0.
fn folded(mut class: ClassUnicode) -> ClassUnicode {
    let ends = class.ranges().first().zip(class.ranges().last());
    let Some((lo, hi)) = ends.map(|(first, last)| (first.start(), last.end())) else {
        return class;
    };
    let everything = lo <= FOLD_MIN && hi >= FOLD_MAX && class.ranges().len() == 1;
    if everything || hi < FOLD_MIN || lo > FOLD_MAX {
        return class;
    }
    if class.is_ascii() {
        class.case_fold_simple();
        return class;
    }
    let newer = ClassUnicode::new(CASED_AFTER_15.iter().map(|&(lo, hi)| ClassUnicodeRange::new(lo, hi)));
    let whole = class.clone();
    class.intersect(&ClassUnicode::new([ClassUnicodeRange::new(FOLD_MIN, FOLD_MAX)]));
    class.difference(&newer);
    class.case_fold_simple();
    class.difference(&newer);
    class.union(&whole);
    class
}

/// The first and the last code point that has a case variant.
const FOLD_MIN: char = 'A';
const FOLD_MAX: char = '\u{1E943}';

/// Cased letters that came after Unicode 15.0; some are variants of older letters.
const CASED_AFTER_15: &[(char, char)] = &[
    ('\u{1C89}', '\u{1C8A}'),
    ('\u{A7CB}', '\u{A7CD}'),
    ('\u{A7DA}', '\u{A7DC}'),
    ('\u{10D50}', '\u{10D65}'),
    ('\u{10D70}', '\u{10D85}'),
];

fn scalar_range(lo: u32, hi: u32) -> Option<ClassUnicodeRange> {
    if lo > hi {
        return None;
    }
    let lo = char::from_u32(lo).unwrap_or('\u{E000}');
    let hi = char::from_u32(hi).unwrap_or('\u{D7FF}');
    (lo <= hi).then(|| ClassUnicodeRange::new(lo, hi))
}

fn ascii(ranges: &[(u8, u8)]) -> ClassUnicode {
    let pairs = ranges.iter();
    ClassUnicode::new(pairs.map(|&(lo, hi)| ClassUnicodeRange::new(lo.into(), hi.into())))
}

/// Returns the group of a Perl escape letter (`d`, `S`, …) and whether it is negated.
pub(super) fn perl_group(letter: char) -> Option<(ClassUnicode, bool)> {
    let group = match letter.to_ascii_lowercase() {
        'd' => ascii(&[(b'0', b'9')]),
        's' => ascii(&[(b'\t', b'\n'), (0x0c, b'\r'), (b' ', b' ')]),
        'w' => ascii(&[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')]),
        _ => return None,
    };
    Some((group, letter.is_ascii_uppercase()))
}

/// Returns the group of a POSIX name such as `alpha` (without colons and brackets).
pub(super) fn posix_group(name: &str) -> Option<ClassUnicode> {
    Some(match name {
        "alnum" => ascii(&[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]),
        "alpha" => ascii(&[(b'A', b'Z'), (b'a', b'z')]),
        "ascii" => ascii(&[(0, 0x7f)]),
        "blank" => ascii(&[(b'\t', b'\t'), (b' ', b' ')]),
        "cntrl" => ascii(&[(0, 0x1f), (0x7f, 0x7f)]),
        "digit" => ascii(&[(b'0', b'9')]),
        "graph" => ascii(&[(b'!', b'~')]),
        "lower" => ascii(&[(b'a', b'z')]),
        "print" => ascii(&[(b' ', b'~')]),
        "punct" => ascii(&[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')]),
        "space" => ascii(&[(b'\t', b'\r'), (b' ', b' ')]),
        "upper" => ascii(&[(b'A', b'Z')]),
        "word" => ascii(&[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')]),
        "xdigit" => ascii(&[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]),
        _ => return None,
    })
}

/// Returns the group that `\p{name}` stands for in Go; case, spaces, `_` and `-` are ignored
/// except that scripts of several words are not reachable (as in Go 1.26).
pub(in crate::go) fn unicode_group(name: &str) -> Option<ClassUnicode> {
    let key = canonical_name(name);
    match key.as_str() {
        "any" => return Some(ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)])),
        "ascii" => return Some(ascii(&[(0, 0x7f)])),
        "assigned" => return property("Cn").map(|class| complement(&class)),
        // The surrogates: legal to name, never found in text.
        "cs" | "surrogate" => return Some(ClassUnicode::empty()),
        _ => {}
    }
    let category = CATEGORIES
        .iter()
        .find(|(short, long)| short.eq_ignore_ascii_case(&key) || long.split('|').any(|alias| alias == key));
    if let Some((short, _)) = category {
        return property(short);
    }
    let script = SCRIPTS.split_ascii_whitespace().any(|script| script == key);
    if script {
        return query(&format!(r"\p{{sc={key}}}")).map(only_known);
    }
    None
}

/// Says whether the group takes part in case folding; Go leaves the cased letters alone.
pub(super) fn unicode_group_folds(name: &str) -> bool {
    !matches!(canonical_name(name).as_str(), "lc" | "casedletter")
}

fn canonical_name(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns a general category with the code points that Unicode 15.0 puts in it.
fn property(category: &str) -> Option<ClassUnicode> {
    match category {
        "Cn" => {
            // Noncharacters have an age but stay unassigned.
            let mut reserved = only_known(query(r"\p{gc=Cn}")?);
            reserved.union(&complement(&query(r"\p{age=15.0}")?));
            Some(reserved)
        }
        "C" => {
            let mut other = property("Cn")?;
            for part in [r"\p{gc=Cc}", r"\p{gc=Cf}", r"\p{gc=Co}"] {
                other.union(&only_known(query(part)?));
            }
            Some(other)
        }
        "LC" => query(r"[\p{gc=Lu}\p{gc=Ll}\p{gc=Lt}]").map(only_known),
        "Mn" => property_query("Mn").map(|mut class| {
            class.union(&single(MARK_MOVED_AFTER_15, false));
            class
        }),
        "Mc" => property_query("Mc").map(|mut class| {
            class.difference(&single(MARK_MOVED_AFTER_15, false));
            class
        }),
        _ => property_query(category),
    }
}

/// Ahom consonant sign medial ra: nonspacing in Unicode 15.0, spacing now.
const MARK_MOVED_AFTER_15: u32 = 0x1171E;

fn property_query(category: &str) -> Option<ClassUnicode> {
    query(&format!(r"\p{{gc={category}}}")).map(only_known)
}

fn only_known(mut class: ClassUnicode) -> ClassUnicode {
    if let Some(known) = query(r"\p{age=15.0}") {
        class.intersect(&known);
    }
    class
}

fn query(pattern: &str) -> Option<ClassUnicode> {
    let hir = ParserBuilder::new().build().parse(pattern).ok()?;
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        HirKind::Literal(literal) => {
            let only = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
            Some(single(u32::from(only), false))
        }
        _ => None,
    }
}

/// Categories by short name, with the long names that Go knows for them.
const CATEGORIES: &[(&str, &str)] = &[
    ("C", "other"),
    ("Cc", "control|cntrl"),
    ("Cf", "format"),
    ("Cn", "unassigned"),
    ("Co", "privateuse"),
    ("L", "letter"),
    ("LC", "casedletter"),
    ("Ll", "lowercaseletter"),
    ("Lm", "modifierletter"),
    ("Lo", "otherletter"),
    ("Lt", "titlecaseletter"),
    ("Lu", "uppercaseletter"),
    ("M", "mark|combiningmark"),
    ("Mc", "spacingmark"),
    ("Me", "enclosingmark"),
    ("Mn", "nonspacingmark"),
    ("N", "number"),
    ("Nd", "decimalnumber|digit"),
    ("Nl", "letternumber"),
    ("No", "othernumber"),
    ("P", "punctuation|punct"),
    ("Pc", "connectorpunctuation"),
    ("Pd", "dashpunctuation"),
    ("Pe", "closepunctuation"),
    ("Pf", "finalpunctuation"),
    ("Pi", "initialpunctuation"),
    ("Po", "otherpunctuation"),
    ("Ps", "openpunctuation"),
    ("S", "symbol"),
    ("Sc", "currencysymbol"),
    ("Sk", "modifiersymbol"),
    ("Sm", "mathsymbol"),
    ("So", "othersymbol"),
    ("Z", "separator"),
    ("Zl", "lineseparator"),
    ("Zp", "paragraphseparator"),
    ("Zs", "spaceseparator"),
];

/// Scripts that Go can name, in lower case.
const SCRIPTS: &str = "\
adlam ahom arabic armenian avestan balinese bamum batak bengali bhaiksuki bopomofo brahmi \
braille buginese buhid carian chakma cham cherokee chorasmian common coptic cuneiform \
cypriot cyrillic deseret devanagari dogra duployan elbasan elymaic ethiopic georgian \
glagolitic gothic grantha greek gujarati gurmukhi han hangul hanunoo hatran hebrew hiragana \
inherited javanese kaithi kannada katakana kawi kharoshthi khmer khojki khudawadi lao latin \
lepcha limbu lisu lycian lydian mahajani makasar malayalam mandaic manichaean marchen \
medefaidrin miao modi mongolian mro multani myanmar nabataean nandinagari newa nko nushu \
ogham oriya osage osmanya palmyrene phoenician rejang runic samaritan saurashtra sharada \
shavian siddham sinhala sogdian soyombo sundanese syriac tagalog tagbanwa takri tamil tangsa \
tangut telugu thaana thai tibetan tifinagh tirhuta toto ugaritic vai vithkuqi wancho yezidi \
yi";
