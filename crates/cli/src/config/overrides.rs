//! Values on the command line: `a.b=1,c[0]=x,d={1,2}`, as Helm reads them.
//!
//! Apart because it is a small notation of its own. A backslash takes the meaning from the character behind it.

use super::{Map, Node};

/// No list is longer, wherever an index points.
const INDEX_MAX: usize = 65_536;
/// No path is longer.
const DEPTH_MAX: usize = 100;

/// Makes the value of a text.
type Make<'m> = dyn Fn(&str) -> Result<Node, String> + 'm;

/// Puts each value of a text at its path.
pub(super) fn apply(text: &str, root: &mut Map, make: &Make<'_>) -> Result<(), String> {
    let mut rest = text.chars();
    while !rest.as_str().is_empty() {
        let (path, end) = word(&mut rest, &['=', ',']);
        if end != Some('=') {
            return Err(format!("key {:?} has no value", plain(&path)));
        }
        let value = match rest.as_str().strip_prefix('{') {
            Some(list) => {
                rest = list.chars();
                list_of(&mut rest, make)?
            }
            None => make(&plain(&word(&mut rest, &[',']).0))?,
        };
        put(root, &steps(&path)?, value)?;
    }
    Ok(())
}

/// Is a character, and whether a backslash stands before it.
type Letter = (char, bool);

/// Reads up to one of the ends, which is returned too.
fn word(rest: &mut std::str::Chars<'_>, ends: &[char]) -> (Vec<Letter>, Option<char>) {
    let mut out = Vec::new();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => out.extend(rest.next().map(|it| (it, true))),
            it if ends.contains(&it) => return (out, Some(it)),
            it => out.push((it, false)),
        }
    }
    (out, None)
}

fn plain(letters: &[Letter]) -> String {
    letters.iter().map(|it| it.0).collect()
}

fn list_of(rest: &mut std::str::Chars<'_>, make: &Make<'_>) -> Result<Node, String> {
    let mut items = Vec::new();
    loop {
        let (item, end) = word(rest, &[',', '}']);
        if end.is_none() {
            return Err("list must terminate with '}'".to_owned());
        }
        if !(items.is_empty() && item.is_empty() && end == Some('}')) {
            items.push(make(&plain(&item))?);
        }
        if end == Some('}') {
            // A comma may follow.
            let behind = rest.as_str();
            *rest = behind.strip_prefix(',').unwrap_or(behind).chars();
            return Ok(Node::List(items));
        }
    }
}

/// Is a step of a path.
#[derive(Debug)]
enum Step {
    Key(String),
    Index(usize),
}

fn steps(path: &[Letter]) -> Result<Vec<Step>, String> {
    let mut out = Vec::new();
    let mut key = String::new();
    let mut letters = path.iter();
    let mut behind_index = false;
    while let Some(letter) = letters.next() {
        match letter {
            ('.', false) => {
                if !behind_index {
                    out.push(Step::Key(std::mem::take(&mut key)));
                }
                behind_index = false;
            }
            ('[', false) => {
                if !behind_index {
                    out.push(Step::Key(std::mem::take(&mut key)));
                }
                let number: String = letters.by_ref().map(|it| it.0).take_while(|it| *it != ']').collect();
                let index = number.parse().map_err(|_| format!("error parsing index: {number:?}"))?;
                if index >= INDEX_MAX {
                    return Err(format!(
                        "index of {index} is greater than maximum supported index of {INDEX_MAX}"
                    ));
                }
                out.push(Step::Index(index));
                behind_index = true;
            }
            (letter, _) => key.push(*letter),
        }
    }
    if !behind_index {
        out.push(Step::Key(key));
    }
    if out.len() > DEPTH_MAX {
        return Err(format!("path has {} steps, limit is {DEPTH_MAX}", out.len()));
    }
    Ok(out)
}

fn put(root: &mut Map, path: &[Step], value: Node) -> Result<(), String> {
    let Some((Step::Key(first), path)) = path.split_first() else {
        return Err("key must not start with an index".to_owned());
    };
    let mut place = root.entry(first.clone()).or_insert(Node::Null);
    for step in path {
        place = match step {
            Step::Key(key) => {
                if !matches!(place, Node::Map(_)) {
                    *place = Node::Map(Map::new());
                }
                let Node::Map(map) = place else { return Ok(()) };
                map.entry(key.clone()).or_insert(Node::Null)
            }
            Step::Index(index) => {
                if !matches!(place, Node::List(_)) {
                    *place = Node::List(Vec::new());
                }
                let Node::List(list) = place else { return Ok(()) };
                if list.len() <= *index {
                    list.resize(index + 1, Node::Null);
                }
                let Some(item) = list.get_mut(*index) else { return Ok(()) };
                item
            }
        };
    }
    *place = value;
    Ok(())
}

/// Returns the value that a text means.
pub(super) fn typed(text: &str) -> Node {
    match text {
        "true" => Node::Bool(true),
        "false" => Node::Bool(false),
        "null" => Node::Null,
        "0" => Node::Number("0".to_owned()),
        _ if !text.starts_with('0') && text.parse::<i64>().is_ok() => Node::Number(text.to_owned()),
        _ => Node::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(text: &str) -> Result<String, String> {
        let mut root = Map::new();
        apply(text, &mut root, &|it| Ok(typed(it)))?;
        Ok(format!("{root:?}"))
    }

    #[test]
    fn values_are_put_at_their_paths() {
        let cases = [
            ("a.b=1,a.c=x", r#"{"a": Map({"b": Number("1"), "c": Text("x")})}"#),
            ("a[1]=true", r#"{"a": List([Null, Bool(true)])}"#),
            ("a={1,b},c=", r#"{"a": List([Number("1"), Text("b")]), "c": Text("")}"#),
            (r"a\.b=x\,y", r#"{"a.b": Text("x,y")}"#),
            ("a[0].b=007", r#"{"a": List([Map({"b": Text("007")})])}"#),
        ];
        for (text, wanted) in cases {
            assert_eq!(applied(text).as_deref(), Ok(wanted), "{text}");
        }
        assert_eq!(applied("labels"), Err("key \"labels\" has no value".to_owned()));
        assert!(applied("a[99999999]=1").is_err());
        assert!(applied("a={1").is_err());
    }
}
