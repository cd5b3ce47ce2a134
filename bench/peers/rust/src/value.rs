//! Each policy written by hand over `serde_json::Value`: the bar that a general engine is held to.
//!
//! Input and data stay documents, looked up by name as a policy would; what stands in the policy text
//! stands in the code. Nothing is remembered from one input to the next.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hint::black_box,
    rc::Rc,
};

use regex::Regex;
use serde_json::{Value, json};

use crate::glob;
use crate::harness::{Prepared, Scenario, timed};

type Eval = Box<dyn Fn(&Value) -> Value>;

pub fn prepare(scenario: &Scenario) -> Result<Option<Prepared>, String> {
    let (eval, prep_ms) = timed(|| {
        let data: Value = serde_json::from_slice(scenario.data).map_err(|it| it.to_string())?;
        Ok::<_, String>(eval_of(&scenario.name, data))
    });
    let Some(eval) = eval? else { return Ok(None) };
    let eval = Rc::new(eval);
    let other = Rc::clone(&eval);
    let inputs: Vec<Value> =
        scenario.inputs.iter().map(|it| serde_json::from_slice(it).expect("inputs are JSON")).collect();
    Ok(Some(Prepared {
        prep_ms,
        parsed: Box::new(move |place| {
            black_box(eval(&inputs[place]));
        }),
        json: Box::new(move |input, out| {
            let input: Value = serde_json::from_slice(input).expect("inputs are JSON");
            serde_json::to_writer(out, &other(&input)).expect("an answer can be written");
        }),
    }))
}

fn eval_of(case: &str, data: Value) -> Option<Eval> {
    Some(match case {
        "rbac" => Box::new(|input| rbac(input).unwrap_or(false).into()),
        "rbac-data" => Box::new(move |input| rbac_data(&data, input).unwrap_or(false).into()),
        "abac" => Box::new(|input| abac(input).into()),
        "k8s" => {
            let patterns = k8s_patterns(&data);
            Box::new(move |input| k8s(&data, &patterns, input))
        }
        "lookup1m" => Box::new(move |input| lookup(&data, input).unwrap_or(false).into()),
        "rules1000" => Box::new(|input| rules(input).unwrap_or(false).into()),
        "gateway" => Box::new(move |input| gateway(&data["gateway"], input).into()),
        "iam" => Box::new(move |input| iam(&data["iam"], input).into()),
        "spend" => Box::new(move |input| spend(&data["spend"], input)),
        "share" => Box::new(move |input| share(&data["share"], input).into()),
        "entitle" => Box::new(move |input| {
            let left = entitle(&data["entitle"], input);
            json!({"allow": left.is_some(), "left": left.unwrap_or(0)})
        }),
        _ => return None,
    })
}

fn rbac(input: &Value) -> Option<bool> {
    let roles: &[&str] = match input.get("user")?.as_str()? {
        "alice" => &["eng", "web"],
        "bob" => &["hr"],
        _ => &[],
    };
    let (action, object) = (input.get("action")?, input.get("object")?);
    Some(roles.iter().any(|role| {
        let permissions: &[(&str, &str)] = match *role {
            "eng" => &[("read", "server123")],
            "web" => &[("read", "server123"), ("write", "server123")],
            "hr" => &[("read", "database456")],
            _ => &[],
        };
        permissions.iter().any(|(a, o)| action == a && object == o)
    }))
}

fn rbac_data(data: &Value, input: &Value) -> Option<bool> {
    let user = data.get("users")?.get(input.get("user")?.as_str()?)?;
    if !user.get("active")?.as_bool()? {
        return None;
    }
    let (action, resource) = (input.get("action")?, input.get("resource")?);
    let all = data.get("role_grants")?;
    Some(user.get("roles")?.as_array()?.iter().filter_map(|role| all.get(role.as_str()?)?.as_array()).any(
        |grants| {
            grants.iter().any(|it| it.get("action") == Some(action) && it.get("resource") == Some(resource))
        },
    ))
}

fn has(list: &Value, wanted: &str) -> bool {
    list.as_array().is_some_and(|it| it.iter().any(|it| it == wanted))
}

fn abac(input: &Value) -> bool {
    let (subject, resource, env) = (&input["subject"], &input["resource"], &input["env"]);
    let action = input["action"].as_str().unwrap_or_default();
    let class = resource["classification"].as_str().unwrap_or_default();
    let (groups, tags) = (&subject["groups"], &resource["tags"]);
    let hour = env["hour"].as_i64().unwrap_or(0);
    let is_weekday = matches!(env["weekday"].as_str(), Some("Mon" | "Tue" | "Wed" | "Thu" | "Fri"));
    let working = is_weekday && (8..19).contains(&hour);
    let same_department = resource["department"] == subject["department"];
    let mfa = subject["mfa"] == true;
    let level = match class {
        "public" => 0,
        "internal" => 1,
        "confidential" => 3,
        _ => 4,
    };
    let now = env["now_ns"].as_i64().unwrap_or(0);
    let denied = level > subject["clearance"].as_i64().unwrap_or(0)
        || (has(tags, "pii") && env["ip_zone"] == "public")
        || (has(groups, "contractors") && !working)
        || (has(tags, "export") && subject["region"] != resource["region"])
        || (matches!(class, "confidential" | "secret") && !mfa)
        || (subject["tenure_days"].as_i64().unwrap_or(0) < 90 && matches!(action, "delete" | "share"))
        || (now > 1_750_500_000_000_000_000
            && now < 1_750_600_000_000_000_000
            && matches!(action, "update" | "delete"));
    !denied
        && (resource["owner"] == subject["id"]
            || (action == "read" && same_department)
            || (action == "read" && class == "public")
            || (matches!(action, "update" | "share") && has(groups, "managers") && same_department)
            || (action == "read" && has(groups, "auditors") && working)
            || (matches!(action, "read" | "update") && has(groups, "oncall") && !working)
            || (has(groups, "admins") && mfa))
}

fn k8s_patterns(data: &Value) -> Vec<(String, String, Regex)> {
    let labels = data["params"]["required_labels"].as_object().expect("labels are an object");
    let pattern = |it: &Value| it.as_str().expect("a pattern is a string").to_owned();
    labels
        .iter()
        .map(|(label, it)| (label.clone(), pattern(it), Regex::new(&pattern(it)).expect("a valid pattern")))
        .collect()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn k8s(data: &Value, patterns: &[(String, String, Regex)], input: &Value) -> Value {
    let params = &data["params"];
    let pod = &input["request"]["object"];
    let mut deny = BTreeSet::new();
    let namespace = pod["metadata"]["namespace"].as_str().unwrap_or_default();
    if has(&params["exempt_namespaces"], namespace) {
        return json!([]);
    }
    let spec = &pod["spec"];
    for container in items(&spec["containers"]).iter().chain(items(&spec["initContainers"])) {
        k8s_container(params, container, &mut deny);
    }
    for (label, pattern, regex) in patterns {
        if !pod["metadata"]["labels"][label].as_str().is_some_and(|it| regex.is_match(it)) {
            deny.insert(format!("label <{label}> is missing or does not match {pattern}"));
        }
    }
    for volume in items(&spec["volumes"]) {
        if let Some(path) = volume["hostPath"]["path"].as_str()
            && !has(&params["allowed_hostpaths"], path)
        {
            deny.insert(format!(
                "volume <{}> mounts host path {path}",
                volume["name"].as_str().unwrap_or_default()
            ));
        }
    }
    for field in ["hostNetwork", "hostPID", "hostIPC"] {
        if spec[field] == true {
            deny.insert(format!("pod sets {field}"));
        }
    }
    deny.into_iter().collect()
}

fn k8s_container(params: &Value, container: &Value, deny: &mut BTreeSet<String>) {
    let name = container["name"].as_str().unwrap_or_default();
    let image = container["image"].as_str().unwrap_or_default();
    let security = &container["securityContext"];
    if !items(&params["allowed_registries"]).iter().any(|it| image.starts_with(it.as_str().unwrap_or("\0"))) {
        deny.insert(format!("container <{name}> has an image from a registry that is not allowed: {image}"));
    }
    let last = image.rsplit('/').next().unwrap_or_default();
    if image.ends_with(":latest") || (!image.contains("@sha256:") && !last.contains(':')) {
        deny.insert(format!("container <{name}> uses a mutable tag: {image}"));
    }
    if security["privileged"] == true {
        deny.insert(format!("container <{name}> is privileged"));
    }
    if security["allowPrivilegeEscalation"] == true && security["runAsUser"] == 0 {
        deny.insert(format!("container <{name}> may escalate as root"));
    }
    for capability in items(&security["capabilities"]["add"]).iter().filter_map(Value::as_str) {
        if !has(&params["allowed_caps"], capability) {
            deny.insert(format!("container <{name}> adds capability {capability}"));
        }
    }
    if container["resources"]["limits"].get("memory").is_none() {
        deny.insert(format!("container <{name}> has no memory limit"));
    }
}

fn lookup(data: &Value, input: &Value) -> Option<bool> {
    let object = data.get("objects")?.get(input.get("object")?.as_str()?)?;
    Some(object.get("owner")? == input.get("user")? || object.get("public")? == true)
}

fn rules(input: &Value) -> Option<bool> {
    let number: u32 = input.get("path")?.as_str()?.strip_prefix("/x/")?.parse().ok()?;
    let method = if number.is_multiple_of(3) { "POST" } else { "GET" };
    Some(number < 1000 && input.get("method")? == method)
}

fn gateway(data: &Value, input: &Value) -> bool {
    let path = input["path"].as_str().unwrap_or_default();
    let method = &input["method"];
    let public = ["/static/", "/docs/", "/.well-known/", "/healthz"];
    if public.iter().any(|it| path.starts_with(it)) && (method == "GET" || method == "HEAD") {
        return true;
    }
    let token = &input["token"];
    if token["exp"].as_i64() > input["now"].as_i64() {
        let service = path.split('/').nth(2).unwrap_or_default();
        let granted: Vec<&str> = token["scope"].as_str().unwrap_or_default().split(' ').collect();
        let is_allowed = items(&data["routes"][service]).iter().any(|route| {
            glob::matches(route["pattern"].as_str().unwrap_or_default().as_bytes(), path.as_bytes())
                && items(&route["methods"]).contains(method)
                && items(&route["scopes"]).iter().all(|it| granted.contains(&it.as_str().unwrap_or_default()))
        });
        if is_allowed {
            return true;
        }
    }
    input["caller"].as_str().is_some_and(|it| it.starts_with("mesh:"))
        && glob::matches(b"/v1/*/internal/**", path.as_bytes())
        && !has(&data["frozen"], path)
}

fn iam(data: &Value, input: &Value) -> &'static str {
    let mut is_allowed = false;
    let principal = input["principal"].as_str().unwrap_or_default();
    let action = input["action"].as_str().unwrap_or_default();
    let resource = input["resource"].as_str().unwrap_or_default();
    for name in items(&data["attached"][principal]) {
        for statement in items(&data["policies"][name.as_str().unwrap_or_default()]) {
            let applies = items(&statement["actions"]).iter().any(|it| iam_fits(it, action))
                && items(&statement["resources"]).iter().any(|it| iam_fits(it, resource))
                && items(&statement["conditions"]).iter().all(|it| iam_holds(it, &input["context"]));
            if applies && statement["effect"] == "deny" {
                return "deny";
            }
            is_allowed |= applies;
        }
    }
    if is_allowed { "allow" } else { "implicit deny" }
}

fn iam_fits(pattern: &Value, text: &str) -> bool {
    let pattern = pattern.as_str().unwrap_or_default();
    pattern == text || pattern.strip_suffix('*').is_some_and(|it| text.starts_with(it))
}

fn iam_holds(condition: &Value, context: &Value) -> bool {
    let Some(given) = context.get(condition["key"].as_str().unwrap_or_default()) else { return false };
    let wanted = &condition["value"];
    match condition["op"].as_str() {
        Some("equals") => given == wanted,
        Some("differs") => given != wanted,
        Some("one of") => items(wanted).contains(given),
        Some("below") => given.as_i64() < wanted.as_i64(),
        Some("starts") => given.as_str().unwrap_or_default().starts_with(wanted.as_str().unwrap_or("\0")),
        _ => false,
    }
}

fn spend(data: &Value, input: &Value) -> Value {
    let mut by_category: BTreeMap<&str, i64> = BTreeMap::new();
    let mut by_merchant: HashMap<&str, u32> = HashMap::new();
    let (mut total, mut largest) = (0, 0);
    for item in items(&input["items"]) {
        let rate = data["rates"][item["currency"].as_str().unwrap_or_default()].as_i64().unwrap_or(0);
        let cents = item["amount"].as_i64().unwrap_or(0) * rate;
        total += cents;
        largest = largest.max(cents);
        *by_category.entry(item["category"].as_str().unwrap_or_default()).or_default() += cents;
        *by_merchant.entry(item["merchant"].as_str().unwrap_or_default()).or_default() += 1;
    }
    let grade = data["grades"][input["employee"].as_str().unwrap_or_default()].as_str().unwrap_or_default();
    let limits = &data["limits"][grade];
    let mut violations = BTreeSet::new();
    for (category, spent) in &by_category {
        match limits[*category].as_i64() {
            Some(limit) if *spent > limit => {
                violations.insert(format!("{category}: {spent} is over the limit of {limit}"));
            }
            Some(_) => (),
            None => {
                violations.insert(format!("{category}: not allowed for grade {grade}"));
            }
        }
    }
    for (merchant, count) in by_merchant {
        if count > 3 {
            violations.insert(format!("{merchant}: more than three lines"));
        }
    }
    json!({"approved": violations.is_empty(), "total": total, "by_category": by_category, "largest": largest,
        "violations": violations})
}

/// What can be reached from a node that is in the graph; nodes that are not are left out.
fn reachable<'a>(graph: &'a Value, start: &str) -> HashSet<&'a str> {
    let graph = graph.as_object().expect("a graph is an object");
    let mut found = HashSet::new();
    let mut open: Vec<&'a str> =
        graph.get_key_value(start).map(|(key, _)| key.as_str()).into_iter().collect();
    while let Some(node) = open.pop() {
        if let Some(next) = graph.get(node)
            && found.insert(node)
        {
            open.extend(items(next).iter().filter_map(Value::as_str));
        }
    }
    found
}

fn share(data: &Value, input: &Value) -> bool {
    let permission = input["permission"].as_str().unwrap_or_default();
    let relations: &[&str] = match permission {
        "view" => &["viewer", "editor", "owner"],
        "edit" => &["editor", "owner"],
        _ => &["owner"],
    };
    let objects = reachable(&data["parents"], input["object"].as_str().unwrap_or_default());
    let subjects = reachable(&data["member_of"], input["user"].as_str().unwrap_or_default());
    objects.iter().any(|object| {
        let grants = &data["grants"][*object];
        relations
            .iter()
            .any(|it| items(&grants[*it]).iter().any(|it| subjects.contains(it.as_str().unwrap_or_default())))
            || (permission == "view" && data["public"][*object] == true)
    })
}

fn entitle(data: &Value, input: &Value) -> Option<i64> {
    let tenant = input.get("tenant")?.as_str()?;
    let record = data.get("tenants")?.get(tenant)?;
    let plan = data.get("plans")?.get(record.get("plan")?.as_str()?)?;
    let (feature, user) = (input.get("feature")?, input.get("user")?);
    let resource = input.get("resource")?.as_str()?;
    if record["unpaid_days"].as_i64()? > 30
        || !(items(&plan["features"]).contains(feature) || items(&record["extras"]).contains(feature))
        || !items(&record["users"]).contains(user)
    {
        return None;
    }
    let limit = plan["limits"].get(resource)?.as_i64()? + record["bonus"][resource].as_i64().unwrap_or(0);
    let left = limit - data["usage"][tenant][resource].as_i64().unwrap_or(0);
    (left > 0).then_some(left)
}
