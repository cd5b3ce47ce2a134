//! The typed policies about who may do what: roles, attributes, rules, statements.
//!
//! Field names are those of the scenarios; everything is borrowed from the text. Kept apart from
//! `business` for length alone.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::Typed;

pub struct Rbac;

#[derive(Deserialize)]
pub struct RbacInput {
    user: &'static str,
    action: &'static str,
    object: &'static str,
}

impl Typed for Rbac {
    type Data = IgnoredAny;
    type Input = RbacInput;
    type Answer = bool;

    fn eval(_: &IgnoredAny, input: &RbacInput) -> bool {
        let permissions: &[(&str, &str)] = match input.user {
            "alice" => &[("read", "server123"), ("write", "server123")],
            "bob" => &[("read", "database456")],
            _ => &[],
        };
        permissions.contains(&(input.action, input.object))
    }
}

pub struct RbacData;

#[derive(Deserialize)]
pub struct Users {
    #[serde(borrow)]
    users: HashMap<&'static str, User>,
    #[serde(borrow)]
    role_grants: HashMap<&'static str, Vec<Grant>>,
}

#[derive(Deserialize)]
struct User {
    #[serde(borrow)]
    roles: Vec<&'static str>,
    active: bool,
}

#[derive(Deserialize)]
struct Grant {
    action: &'static str,
    resource: &'static str,
}

#[derive(Deserialize)]
pub struct RbacDataInput {
    user: &'static str,
    action: &'static str,
    resource: &'static str,
}

impl Typed for RbacData {
    type Data = Users;
    type Input = RbacDataInput;
    type Answer = bool;

    fn eval(data: &Users, input: &RbacDataInput) -> bool {
        let Some(user) = data.users.get(input.user) else { return false };
        user.active
            && user.roles.iter().filter_map(|it| data.role_grants.get(it)).any(|grants| {
                grants.iter().any(|it| it.action == input.action && it.resource == input.resource)
            })
    }
}

pub struct Abac;

#[derive(Deserialize)]
pub struct AbacInput {
    subject: Subject,
    resource: Resource,
    action: &'static str,
    env: Env,
}

#[derive(Deserialize)]
struct Subject {
    id: &'static str,
    department: &'static str,
    clearance: i64,
    groups: Vec<&'static str>,
    mfa: bool,
    tenure_days: i64,
    region: &'static str,
}

#[derive(Deserialize)]
struct Resource {
    owner: &'static str,
    department: &'static str,
    classification: &'static str,
    tags: Vec<&'static str>,
    region: &'static str,
}

#[derive(Deserialize)]
struct Env {
    hour: i64,
    weekday: &'static str,
    now_ns: i64,
    ip_zone: &'static str,
}

impl Typed for Abac {
    type Data = IgnoredAny;
    type Input = AbacInput;
    type Answer = bool;

    fn eval(_: &IgnoredAny, input: &AbacInput) -> bool {
        let AbacInput { subject, resource, action, env } = input;
        let in_group = |it: &str| subject.groups.contains(&it);
        let tagged = |it: &str| resource.tags.contains(&it);
        let working = !matches!(env.weekday, "Sat" | "Sun") && (8..19).contains(&env.hour);
        let same_department = resource.department == subject.department;
        let level = match resource.classification {
            "public" => 0,
            "internal" => 1,
            "confidential" => 3,
            _ => 4,
        };
        let denied = level > subject.clearance
            || (tagged("pii") && env.ip_zone == "public")
            || (in_group("contractors") && !working)
            || (tagged("export") && subject.region != resource.region)
            || (level >= 3 && !subject.mfa)
            || (subject.tenure_days < 90 && matches!(*action, "delete" | "share"))
            || (env.now_ns > 1_750_500_000_000_000_000
                && env.now_ns < 1_750_600_000_000_000_000
                && matches!(*action, "update" | "delete"));
        !denied
            && (resource.owner == subject.id
                || (*action == "read" && same_department)
                || (*action == "read" && level == 0)
                || (matches!(*action, "update" | "share") && in_group("managers") && same_department)
                || (*action == "read" && in_group("auditors") && working)
                || (matches!(*action, "read" | "update") && in_group("oncall") && !working)
                || (in_group("admins") && subject.mfa))
    }
}

pub struct Rules;

#[derive(Deserialize)]
pub struct RulesInput {
    method: &'static str,
    path: &'static str,
}

impl Typed for Rules {
    type Data = IgnoredAny;
    type Input = RulesInput;
    type Answer = bool;

    fn eval(_: &IgnoredAny, input: &RulesInput) -> bool {
        let number = input.path.strip_prefix("/x/").and_then(|it| it.parse::<u32>().ok());
        number
            .is_some_and(|it| it < 1000 && input.method == if it.is_multiple_of(3) { "POST" } else { "GET" })
    }
}

pub struct Lookup;

#[derive(Deserialize)]
pub struct Objects {
    #[serde(borrow)]
    objects: HashMap<&'static str, Object>,
}

#[derive(Deserialize)]
struct Object {
    owner: &'static str,
    public: bool,
}

#[derive(Deserialize)]
pub struct LookupInput {
    user: &'static str,
    object: &'static str,
}

impl Typed for Lookup {
    type Data = Objects;
    type Input = LookupInput;
    type Answer = bool;

    fn eval(data: &Objects, input: &LookupInput) -> bool {
        data.objects.get(input.object).is_some_and(|it| it.public || it.owner == input.user)
    }
}

pub struct Iam;

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct IamData {
    iam: IamTables,
}

#[derive(Deserialize)]
struct IamTables {
    #[serde(borrow)]
    attached: HashMap<&'static str, Vec<&'static str>>,
    #[serde(borrow)]
    policies: HashMap<&'static str, Vec<Statement>>,
}

#[derive(Deserialize)]
struct Statement {
    effect: &'static str,
    actions: Vec<&'static str>,
    resources: Vec<&'static str>,
    #[serde(default)]
    conditions: Vec<Condition>,
}

#[derive(Deserialize)]
struct Condition {
    op: &'static str,
    key: &'static str,
    value: Value,
}

#[derive(Deserialize)]
pub struct IamInput {
    principal: &'static str,
    action: &'static str,
    resource: &'static str,
    context: BTreeMap<&'static str, Value>,
}

impl Typed for Iam {
    type Data = IamData;
    type Input = IamInput;
    type Answer = &'static str;

    fn eval(data: &IamData, input: &IamInput) -> &'static str {
        let mut answer = "implicit deny";
        let names = data.iam.attached.get(input.principal).into_iter().flatten();
        for statement in names.filter_map(|it| data.iam.policies.get(it)).flatten() {
            let applies = statement.actions.iter().any(|it| fits(it, input.action))
                && statement.resources.iter().any(|it| fits(it, input.resource))
                && statement.conditions.iter().all(|it| holds(it, input));
            if applies && statement.effect == "deny" {
                return "deny";
            }
            if applies {
                answer = "allow";
            }
        }
        answer
    }
}

fn fits(pattern: &str, text: &str) -> bool {
    pattern == text || pattern.strip_suffix('*').is_some_and(|it| text.starts_with(it))
}

fn holds(condition: &Condition, input: &IamInput) -> bool {
    let Some(given) = input.context.get(condition.key) else { return false };
    let wanted = &condition.value;
    match condition.op {
        "equals" => given == wanted,
        "differs" => given != wanted,
        "one of" => wanted.as_array().is_some_and(|it| it.contains(given)),
        "below" => given.as_i64() < wanted.as_i64(),
        "starts" => given.as_str().unwrap_or_default().starts_with(wanted.as_str().unwrap_or("\0")),
        _ => false,
    }
}
