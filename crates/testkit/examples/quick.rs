use lictor_value::{Arena, Document, Value};
use lictor_vm::*;
use std::time::Instant;
fn conv<'e>(j: &serde_json::Value, a: &'e Arena) -> Value<'e> {
    match j {
        serde_json::Value::Null => Value::NULL,
        serde_json::Value::Bool(b) => Value::bool(*b),
        serde_json::Value::Number(n) => a.number_text(&n.to_string()),
        serde_json::Value::String(s) => a.string(s),
        serde_json::Value::Array(v) => {
            let v: Vec<_> = v.iter().map(|x| conv(x, a)).collect();
            a.array(&v)
        }
        serde_json::Value::Object(o) => {
            let mut v: Vec<_> = o.iter().map(|(k, x)| (a.string(k), conv(x, a))).collect();
            a.object(&mut v)
        }
    }
}
fn doc(t: &str) -> Document {
    let a = Arena::new();
    Document::from_value(conv(&serde_json::from_str(t).unwrap(), &a))
}
fn main() {
    for case in std::env::args().skip(1) {
        let dir = format!("/tmp/b/{case}");
        let plan =
            lictor_plan::opa::import::import(&std::fs::read_to_string(format!("{dir}/plan.json")).unwrap())
                .unwrap();
        let program = compile(&plan, |n| {
            lictor_runtime::builtin_named(n).map(|x| x.1.function).or(Some(|_, _| Ok(None)))
        })
        .unwrap();
        let data = doc(&std::fs::read_to_string(format!("{dir}/data.json")).unwrap());
        let inputs: Vec<Document> =
            std::fs::read_to_string(format!("{dir}/inputs.jsonl")).unwrap().lines().map(doc).collect();
        let expected: Vec<String> = std::fs::read_to_string(format!("{dir}/expected.jsonl"))
            .unwrap()
            .lines()
            .map(|x| x.to_owned())
            .collect();
        let ep = EntrypointId::first();
        let derived = Derived::new(program.functions());
        let mut s = Scratch::new();
        let mut bad = 0;
        let req = |d: &Document| 0;
        let _ = req;
        for (i, d) in inputs.iter().enumerate() {
            let r = Request {
                entrypoint: ep,
                input: Input::Value(d.root()),
                data: data.root(),
                derived: Some(&derived),
                host: &lictor_runtime::NullHost,
                limits: Limits::default(),
                strict: false,
            };
            let got = s
                .eval(&program, r, |d| match d {
                    Decision::Bindings(v) => v
                        .first()
                        .and_then(|x| x.as_object()?.get_str("result"))
                        .map(|x| x.to_json())
                        .unwrap_or_default(),
                    Decision::Value(v) => v.map(|x| x.to_json()).unwrap_or_default(),
                })
                .unwrap();
            if expected.get(i).is_some_and(|e| *e != got) {
                bad += 1;
                if bad < 3 {
                    println!("{got} want {}", expected[i]);
                }
            }
        }
        let mut best = f64::MAX;
        for _ in 0..20 {
            let t = Instant::now();
            let mut n = 0u64;
            let mut sum = 0usize;
            while t.elapsed().as_millis() < 50 {
                for d in inputs.iter().take(1000) {
                    let r = Request {
                        entrypoint: ep,
                        input: Input::Value(d.root()),
                        data: data.root(),
                        derived: Some(&derived),
                        host: &lictor_runtime::NullHost,
                        limits: Limits::default(),
                        strict: false,
                    };
                    sum += s
                        .eval(&program, r, |d| match d {
                            Decision::Bindings(v) => v.len(),
                            Decision::Value(v) => v.is_some() as usize,
                        })
                        .unwrap();
                    n += 1;
                }
            }
            best = best.min(t.elapsed().as_nanos() as f64 / n as f64);
            std::hint::black_box(sum);
        }
        println!("{case}: {best:.0} ns, bad {bad}");
    }
}
