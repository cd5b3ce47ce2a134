//! Edited documents beside a plain tree that is edited alike: what they show, and that others stay as they were.
//!
//! The tree is another library's, so that nothing of ours judges itself. Memory is looked at too: what nobody shows any
//! more must be gone.

use lictor_value::{Arena, Document, Edit, Value, json};
use proptest::prelude::*;
use serde_json::Value as Json;

/// What a step of a case does at a path.
#[derive(Clone, Debug)]
enum Step {
    Set(Vec<String>, Json),
    Insert(Vec<String>, Json),
    Remove(Vec<String>),
}

fn document(value: &Json) -> Document {
    json::read_document(value.to_string().as_bytes()).expect("JSON")
}

/// Edits the plain tree; says whether there was such a place.
fn edit(tree: &mut Json, step: &Step) -> bool {
    let path = match step {
        Step::Set(path, _) | Step::Insert(path, _) | Step::Remove(path) => path,
    };
    let Some((last, above)) = path.split_last() else { return false };
    let mut place = tree;
    for key in above {
        let below = match place {
            Json::Object(members) => members.get_mut(key),
            Json::Array(items) => key.parse::<usize>().ok().and_then(|it| items.get_mut(it)),
            _ => None,
        };
        let Some(below) = below else { return false };
        place = below;
    }
    match (place, step) {
        (Json::Object(members), Step::Set(_, value)) => {
            members.insert(last.clone(), value.clone());
            true
        }
        (Json::Object(members), Step::Remove(_)) => members.remove(last).is_some(),
        (Json::Array(items), _) => edit_array(items, last, step),
        _ => false,
    }
}

fn edit_array(items: &mut Vec<Json>, key: &str, step: &Step) -> bool {
    let Ok(index) = key.parse::<usize>() else { return false };
    match step {
        Step::Set(_, value) if index < items.len() => items[index] = value.clone(),
        Step::Insert(_, value) if index <= items.len() => items.insert(index, value.clone()),
        Step::Remove(_) if index < items.len() => drop(items.remove(index)),
        _ => return false,
    }
    true
}

fn apply(document: &Document, step: &Step) -> Option<Document> {
    let keys = |path: &[String]| path.iter().map(String::as_str).collect::<Vec<_>>().join("\0");
    let (path, value) = match step {
        Step::Set(path, value) | Step::Insert(path, value) => (keys(path), Some(self::document(value))),
        Step::Remove(path) => (keys(path), None),
    };
    let path: Vec<&str> = path.split('\0').collect();
    let edit = match (step, &value) {
        (Step::Set(..), Some(value)) => Edit::Set(value),
        (Step::Insert(..), Some(value)) => Edit::Insert(value),
        _ => Edit::Remove,
    };
    document.edited(&path, edit)
}

/// Holds a document to a tree: as text, key by key, and through a change laid over it.
fn check(document: &Document, tree: &Json) {
    let text: Json = serde_json::from_str(&document.root().to_json()).expect("JSON");
    assert_eq!(text, *tree);
    check_keys(document.root(), tree);
    let copied = Document::from_value(document.root());
    assert!(copied.root() == document.root() && copied.root().hash() == document.root().hash());
}

fn check_keys(value: Value<'_>, tree: &Json) {
    if let (Some(object), Json::Object(members)) = (value.as_object(), tree) {
        assert_eq!(object.len(), members.len());
        assert_eq!(object.iter().count(), members.len());
        assert!(object.iter().map(|it| it.0).is_sorted());
        for (key, below) in members {
            check_keys(object.get_str(key).expect("a key"), below);
        }
        assert!(object.get_str("no such key at all").is_none());
        let arena = Arena::new();
        let laid = arena.object_with(value, &[(arena.string("m"), Some(Value::TRUE))]);
        let laid: Json = serde_json::from_str(&laid.to_json()).expect("JSON");
        let mut wanted = members.clone();
        wanted.insert("m".to_owned(), Json::Bool(true));
        assert_eq!(laid, Json::Object(wanted));
    }
    if let (Some(array), Json::Array(items)) = (value.as_array(), tree) {
        array.iter().zip(items).for_each(|(value, tree)| check_keys(value, tree));
    }
}

fn leaf() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<i64>().prop_map(Json::from),
        "[a-z]{0,12}".prop_map(Json::from),
        prop::collection::vec(0..5, 0..4).prop_map(Json::from),
        prop::collection::btree_map("[a-e]{1,9}", 0..9, 0..4).prop_map(|it| serde_json::json!(it)),
    ]
}

fn path() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof!["[a-e]{1,9}", "large|list|k[0-9]{1,3}", "[0-3]"], 1..4)
}

fn step() -> impl Strategy<Value = Step> {
    let large = (0..400u32).prop_map(|it| vec!["large".to_owned(), format!("key number {it}")]);
    let path = || prop_oneof![path(), large.clone()];
    prop_oneof![
        3 => (path(), leaf()).prop_map(|(path, value)| Step::Set(path, value)),
        1 => (path(), leaf()).prop_map(|(path, value)| Step::Insert(path, value)),
        2 => path().prop_map(Step::Remove),
    ]
}

fn start() -> Json {
    let large: serde_json::Map<String, Json> =
        (0..200).map(|it| (format!("key number {it}"), Json::from(it))).collect();
    serde_json::json!({ "large": large, "list": [1, {"a": "x"}, [2]], "a": {"b": {"c": 1}} })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn edits_are_those_of_a_plain_tree(
        steps in prop::collection::vec(step(), 1..300),
        gather_every in 1..100usize,
    ) {
        let mut tree = start();
        let mut whole = document(&tree);
        let (first, first_tree) = (whole.clone(), tree.clone());
        for (number, step) in steps.iter().enumerate() {
            let fits = edit(&mut tree, step);
            match apply(&whole, step) {
                Some(edited) => {
                    prop_assert!(fits, "{step:?}");
                    whole = if number % gather_every == 0 { edited.gathered() } else { edited };
                }
                None => prop_assert!(!fits, "{step:?}"),
            }
        }
        check(&whole, &tree);
        check(&first, &first_tree);
    }
}

#[test]
fn memory_goes_with_the_last_document_that_shows_it() {
    let mut whole = document(&serde_json::json!({ "a": { "x": 1, "y": 2 }, "b": {} }));
    let mut sizes = Vec::new();
    for turn in 0..1_000 {
        for path in [["a", "x"], ["a", "y"], ["b", "z"]] {
            let value = document(&Json::from(format!("a value of the turn {turn:4}")));
            whole = whole.edited(&path, Edit::Set(&value)).expect("a place");
        }
        sizes.push(whole.bytes());
    }
    assert_eq!(sizes[10], sizes[999], "{sizes:?}");
}

#[test]
fn what_was_gathered_shows_the_same() {
    let mut whole = document(&start());
    for number in 0..3_000 {
        let value =
            document(&serde_json::json!({ "number": number, "text": format!("a longer text {number}") }));
        let key = format!("key number {}", number % 700);
        whole = whole.edited(&["large", &key], Edit::Set(&value)).expect("a place");
        if number % 500 == 499 {
            let gathered = whole.gathered();
            assert!(gathered.root() == whole.root() && gathered.root().to_json() == whole.root().to_json());
            assert!(gathered.bytes() < whole.bytes());
            whole = gathered;
        }
    }
    let copied = Document::from_value(whole.root());
    assert!(copied.root() == whole.root() && copied.bytes() < whole.bytes());
}

#[test]
fn many_keys_make_a_tree_of_pages() {
    let mut whole = document(&start());
    let value = document(&Json::from("a value that is written often"));
    for number in 0..20_000 {
        let key = format!("new key {:05}", number * 7_919 % 20_000);
        whole = whole.edited(&["large", &key], Edit::Set(&value)).expect("a place");
    }
    let large = whole.root().as_object().and_then(|it| it.get_str("large")).expect("a key");
    let large = large.as_object().expect("an object");
    assert_eq!((large.len(), large.iter().count()), (20_200, 20_200));
    assert!(large.iter().map(|it| it.0).is_sorted());
    for number in 0..20_000 {
        assert!(large.get_str(&format!("new key {number:05}")).is_some());
    }
}
