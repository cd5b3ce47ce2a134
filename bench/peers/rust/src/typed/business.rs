//! The typed policies about requests and records: a gateway, expenses, sharing, entitlements.
//!
//! Field names are those of the scenarios; everything is borrowed from the text. Kept apart from
//! `access` for length alone.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::Typed;
use crate::glob;

pub struct Gateway;

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct GatewayData {
    gateway: GatewayTables,
}

#[derive(Deserialize)]
struct GatewayTables {
    #[serde(borrow)]
    routes: HashMap<&'static str, Vec<Route>>,
    #[serde(borrow)]
    frozen: HashSet<&'static str>,
}

#[derive(Deserialize)]
struct Route {
    pattern: &'static str,
    methods: Vec<&'static str>,
    scopes: Vec<&'static str>,
}

#[derive(Deserialize)]
pub struct GatewayInput {
    method: &'static str,
    path: &'static str,
    now: i64,
    token: Token,
    caller: Option<&'static str>,
}

#[derive(Deserialize)]
struct Token {
    scope: &'static str,
    exp: i64,
}

impl Typed for Gateway {
    type Data = GatewayData;
    type Input = GatewayInput;
    type Answer = bool;

    fn eval(data: &GatewayData, input: &GatewayInput) -> bool {
        let GatewayInput { method, path, .. } = input;
        let public = ["/static/", "/docs/", "/.well-known/", "/healthz"];
        let is_public = matches!(*method, "GET" | "HEAD") && public.iter().any(|it| path.starts_with(it));
        is_public || routed(&data.gateway, input) || {
            input.caller.is_some_and(|it| it.starts_with("mesh:"))
                && glob::matches(b"/v1/*/internal/**", path.as_bytes())
                && !data.gateway.frozen.contains(path)
        }
    }
}

fn routed(data: &GatewayTables, input: &GatewayInput) -> bool {
    if input.token.exp <= input.now {
        return false;
    }
    let service = input.path.split('/').nth(2).unwrap_or_default();
    data.routes.get(service).into_iter().flatten().any(|route| {
        glob::matches(route.pattern.as_bytes(), input.path.as_bytes())
            && route.methods.contains(&input.method)
            && route.scopes.iter().all(|wanted| input.token.scope.split(' ').any(|it| it == *wanted))
    })
}

pub struct Spend;

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct SpendData {
    spend: SpendTables,
}

#[derive(Deserialize)]
struct SpendTables {
    #[serde(borrow)]
    rates: HashMap<&'static str, i64>,
    #[serde(borrow)]
    limits: HashMap<&'static str, HashMap<&'static str, i64>>,
    #[serde(borrow)]
    grades: HashMap<&'static str, &'static str>,
}

#[derive(Deserialize)]
pub struct SpendInput {
    employee: &'static str,
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    category: &'static str,
    merchant: &'static str,
    amount: i64,
    currency: &'static str,
}

#[derive(Serialize)]
pub struct Report {
    approved: bool,
    total: i64,
    by_category: BTreeMap<&'static str, i64>,
    largest: i64,
    violations: BTreeSet<String>,
}

impl Typed for Spend {
    type Data = SpendData;
    type Input = SpendInput;
    type Answer = Report;

    fn eval(data: &SpendData, input: &SpendInput) -> Report {
        let SpendTables { rates, limits, grades } = &data.spend;
        let mut by_category = BTreeMap::new();
        let mut by_merchant = BTreeMap::new();
        let (mut total, mut largest) = (0, 0);
        for item in &input.items {
            let cents = item.amount * rates.get(item.currency).copied().unwrap_or(0);
            total += cents;
            largest = largest.max(cents);
            *by_category.entry(item.category).or_default() += cents;
            *by_merchant.entry(item.merchant).or_insert(0) += 1;
        }
        let grade = grades.get(input.employee).copied().unwrap_or_default();
        let limits = limits.get(grade);
        let mut violations = BTreeSet::new();
        for (category, spent) in &by_category {
            match limits.and_then(|it| it.get(category)) {
                Some(limit) if spent > limit => {
                    violations.insert(format!("{category}: {spent} is over the limit of {limit}"));
                }
                Some(_) => (),
                None => {
                    violations.insert(format!("{category}: not allowed for grade {grade}"));
                }
            }
        }
        for (merchant, _) in by_merchant.iter().filter(|(_, count)| **count > 3) {
            violations.insert(format!("{merchant}: more than three lines"));
        }
        Report { approved: violations.is_empty(), total, by_category, largest, violations }
    }
}

pub struct Share;

type Edges = HashMap<&'static str, Vec<&'static str>>;

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct ShareData {
    share: ShareTables,
}

#[derive(Deserialize)]
struct ShareTables {
    #[serde(borrow)]
    parents: HashMap<&'static str, Vec<&'static str>>,
    #[serde(borrow)]
    member_of: HashMap<&'static str, Vec<&'static str>>,
    #[serde(borrow)]
    grants: HashMap<&'static str, Grants>,
    #[serde(borrow)]
    public: HashMap<&'static str, bool>,
}

type Grants = HashMap<&'static str, Vec<&'static str>>;

#[derive(Deserialize)]
pub struct ShareInput {
    user: &'static str,
    permission: &'static str,
    object: &'static str,
}

impl Typed for Share {
    type Data = ShareData;
    type Input = ShareInput;
    type Answer = bool;

    fn eval(data: &ShareData, input: &ShareInput) -> bool {
        let relations: &[&str] = match input.permission {
            "view" => &["viewer", "editor", "owner"],
            "edit" => &["editor", "owner"],
            _ => &["owner"],
        };
        let data = &data.share;
        let subjects = reachable(&data.member_of, input.user);
        reachable(&data.parents, input.object).iter().any(|object| {
            let granted = data.grants.get(object).is_some_and(|grants| {
                let holders = relations.iter().filter_map(|it| grants.get(it)).flatten();
                holders.into_iter().any(|it| subjects.contains(it))
            });
            granted || (input.permission == "view" && data.public.contains_key(object))
        })
    }
}

/// What can be reached from a node that is in the graph; the lists are short, so a scan finds repeats.
fn reachable(graph: &Edges, start: &'static str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        if let Some(next) = graph.get(node)
            && !found.contains(&node)
        {
            found.push(node);
            open.extend(next);
        }
    }
    found
}

pub struct Entitle;

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct EntitleData {
    entitle: EntitleTables,
}

#[derive(Deserialize)]
struct EntitleTables {
    #[serde(borrow)]
    plans: HashMap<&'static str, Plan>,
    #[serde(borrow)]
    tenants: HashMap<&'static str, Tenant>,
    #[serde(borrow)]
    usage: HashMap<&'static str, HashMap<&'static str, i64>>,
}

#[derive(Deserialize)]
struct Plan {
    #[serde(borrow)]
    features: HashSet<&'static str>,
    #[serde(borrow)]
    limits: HashMap<&'static str, i64>,
}

#[derive(Deserialize)]
struct Tenant {
    plan: &'static str,
    unpaid_days: i64,
    extras: Vec<&'static str>,
    bonus: HashMap<&'static str, i64>,
    users: HashSet<&'static str>,
}

#[derive(Deserialize)]
pub struct EntitleInput {
    tenant: &'static str,
    user: &'static str,
    feature: &'static str,
    resource: &'static str,
}

#[derive(Serialize)]
pub struct Entitlement {
    allow: bool,
    left: i64,
}

impl Typed for Entitle {
    type Data = EntitleData;
    type Input = EntitleInput;
    type Answer = Entitlement;

    fn eval(data: &EntitleData, input: &EntitleInput) -> Entitlement {
        let left = left(&data.entitle, input);
        Entitlement { allow: left.is_some(), left: left.unwrap_or(0) }
    }
}

fn left(data: &EntitleTables, input: &EntitleInput) -> Option<i64> {
    let tenant = data.tenants.get(input.tenant)?;
    let plan = data.plans.get(tenant.plan)?;
    let entitled = plan.features.contains(input.feature) || tenant.extras.contains(&input.feature);
    if tenant.unpaid_days > 30 || !entitled || !tenant.users.contains(input.user) {
        return None;
    }
    let limit = plan.limits.get(input.resource)? + tenant.bonus.get(input.resource).unwrap_or(&0);
    let used = data.usage.get(input.tenant).and_then(|it| it.get(input.resource)).unwrap_or(&0);
    Some(limit - used).filter(|it| *it > 0)
}
