#!/usr/bin/env python3
"""Writes data.json + inputs.jsonl for every benchmark case into OUT/<case>/ (copies policy.rego + meta.json).
usage: gen.py OUT [case ...]      deterministic (fixed seeds)."""
import json, os, random, shutil, sys
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scenarios")
D = lambda o: json.dumps(o, separators=(",", ":"))

def rbac():
    r = random.Random(1)
    U = ["alice", "bob", "carol", "dave"]; A = ["read", "write"]
    O = ["server123", "database456", "server124", "bucket7", "queue9", "vault1", "topic3"]
    return None, [{"user": r.choice(U), "action": r.choice(A), "object": r.choice(O)} for _ in range(100000)]

def rbac_data():
    r = random.Random(2); NU, NR, NG = 10000, 1000, 20000
    roles = {f"role{i:04d}": [] for i in range(NR)}
    acts = ["read", "write", "delete", "list"]
    grants = {k: {} for k in roles}
    for _ in range(NG):
        g = grants[f"role{r.randrange(NR):04d}"]; g.setdefault(f"res/{r.randrange(2000)}", []).append(r.choice(acts))
    gl = {k: [{"resource": res, "action": a} for res, aa in v.items() for a in sorted(set(aa))] for k, v in grants.items()}
    users = {f"user{i:05d}": {"roles": [f"role{x:04d}" for x in r.sample(range(NR), r.randint(1, 5))], "active": r.random() > .02} for i in range(NU)}
    ins = []
    for _ in range(10000):
        u = f"user{r.randrange(NU + 50):05d}"
        if r.random() < .5 and u in users:
            g = gl[r.choice(users[u]["roles"])]
            if g:
                x = r.choice(g); ins.append({"user": u, "action": x["action"], "resource": x["resource"]}); continue
        ins.append({"user": u, "action": r.choice(acts), "resource": f"res/{r.randrange(2000)}"})
    return {"users": users, "role_grants": gl}, ins

def abac():
    r = random.Random(3); ins = []
    depts = ["eng", "hr", "finance", "legal", "sales"]; cls = ["public", "internal", "confidential", "secret"]
    for i in range(10000):
        ins.append({"subject": {"id": f"u{r.randrange(200)}", "department": r.choice(depts), "clearance": r.randrange(5), "groups": r.sample(["staff", "managers", "oncall", "contractors", "auditors", "admins"], r.randint(1, 3)), "mfa": r.random() < .7, "tenure_days": r.randrange(3000), "region": r.choice(["eu", "us", "ap"])},
            "resource": {"id": f"doc{r.randrange(1000)}", "owner": f"u{r.randrange(200)}", "department": r.choice(depts), "classification": r.choice(cls), "tags": r.sample(["pii", "export", "draft", "archived", "payroll"], r.randint(0, 3)), "region": r.choice(["eu", "us", "ap"])},
            "action": r.choice(["read", "read", "update", "delete", "share"]),
            "env": {"hour": r.randrange(24), "weekday": r.choice(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]), "now_ns": 1750000000000000000 + r.randrange(10**15), "ip_zone": r.choice(["corp", "vpn", "public"])}})
    return None, ins

def k8s():
    r = random.Random(4); ins = []
    for i in range(200):
        def ctr(j):
            c = {"name": f"c{j}", "image": r.choice(["registry.corp.example/team/app", "registry.corp.example/base/sidecar", "docker.io/library/nginx", "quay.example/tools/agent"]) + r.choice([":1.2.3", ":latest", "", "@sha256:" + "ab" * 32]),
                 "ports": [{"containerPort": 8000 + k, "protocol": "TCP"} for k in range(r.randint(1, 3))],
                 "env": [{"name": f"VAR_{k}", "value": f"value-{k}"} for k in range(r.randint(3, 12))],
                 "volumeMounts": [{"name": f"v{k}", "mountPath": f"/mnt/{k}", "readOnly": r.random() < .5} for k in range(r.randint(0, 3))],
                 "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8000}, "periodSeconds": 10},
                 "securityContext": {"privileged": r.random() < .1, "allowPrivilegeEscalation": r.random() < .3, "runAsUser": r.choice([0, 1000, 65534]), "capabilities": {"add": r.sample(["NET_ADMIN", "SYS_TIME", "CHOWN", "NET_BIND_SERVICE"], r.randint(0, 2)), "drop": ["ALL"]}}}
            if r.random() < .8: c["resources"] = {"limits": {"cpu": r.choice(["500m", "2", "8"]), "memory": r.choice(["256Mi", "1Gi", "16Gi"])}, "requests": {"cpu": "100m", "memory": "128Mi"}}
            if r.random() < .3: c["securityContext"]["readOnlyRootFilesystem"] = True
            return c
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"pod-{i}", "namespace": r.choice(["default", "prod", "kube-system", "team-a"]), "labels": {"app": "web", **({"owner": r.choice(["team-a", "Team B", "x"])} if r.random() < .8 else {}), **({"cost-center": f"cc-{r.randrange(99999)}"} if r.random() < .7 else {})}, "annotations": {f"note.example/{k}": "text " * 8 for k in range(4)}},
            "spec": {"serviceAccountName": "default", "hostNetwork": r.random() < .1, "hostPID": r.random() < .05, "containers": [ctr(j) for j in range(r.randint(1, 5))], "initContainers": [ctr(j + 10) for j in range(r.randint(0, 2))],
                "volumes": [r.choice([{"name": f"v{k}", "emptyDir": {}}, {"name": f"v{k}", "configMap": {"name": "cm"}}, {"name": f"v{k}", "hostPath": {"path": r.choice(["/var/log", "/etc", "/var/run/docker.sock"])}}]) for k in range(r.randint(1, 4))], "tolerations": [{"key": "node.example/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}]}}
        ins.append({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": f"uid-{i}", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "operation": r.choice(["CREATE", "CREATE", "UPDATE"]), "namespace": pod["metadata"]["namespace"], "userInfo": {"username": "dev@corp.example", "groups": ["system:authenticated"]}, "object": pod}})
    return {"params": {"allowed_registries": ["registry.corp.example/", "quay.example/"], "allowed_caps": ["CHOWN", "NET_BIND_SERVICE"], "required_labels": {"owner": "^[a-z][a-z0-9-]+$", "cost-center": "^cc-[0-9]{3,5}$"}, "exempt_namespaces": ["kube-system"], "allowed_hostpaths": ["/var/log"]}}, ins

def lookup1m():
    r = random.Random(6)
    data = {"objects": {f"obj-{i:07d}": {"owner": f"user{i % 5000}", "tier": i % 7, "public": i % 10 == 0} for i in range(1000000)}}
    return data, [{"user": f"user{r.randrange(5000)}", "object": f"obj-{r.randrange(1010000):07d}"} for _ in range(1000)]

def gateway():
    r = random.Random(21); services = [f"svc{i:02d}" for i in range(25)]
    nouns = ["orders", "items", "invoices", "users", "reports", "files", "keys", "jobs"]
    verbs = ["read", "write", "admin"]; routes = {}
    for s in services:
        rows = []
        for n in r.sample(nouns, r.randint(3, 6)):
            rows.append({"pattern": f"/v1/{s}/{n}", "methods": ["GET", "POST"], "scopes": [f"{s}.read"]})
            rows.append({"pattern": f"/v1/{s}/{n}/*", "methods": ["GET", "PUT", "DELETE"], "scopes": [f"{s}.{r.choice(verbs)}"]})
            if r.random() < .5: rows.append({"pattern": f"/v1/{s}/{n}/*/history/**", "methods": ["GET"], "scopes": [f"{s}.read", "audit"]})
        rows.append({"pattern": f"/v1/{s}/{{status,version}}", "methods": ["GET"], "scopes": []})
        routes[s] = rows
    frozen = [f"/v1/{s}/internal/flush" for s in services[::3]]; ins = []
    for _ in range(5000):
        s = r.choice(services); kind = r.random()
        if kind < .1: path = r.choice(["/static/app.js", "/docs/index.html", "/.well-known/jwks.json", "/healthz"])
        elif kind < .2: path = f"/v1/{s}/internal/{r.choice(['flush', 'stats/cpu', 'warm'])}"
        else:
            path = r.choice(routes[s])["pattern"].replace("/**", "/" + "/".join(r.choices("abc", k=r.randint(1, 3)))).replace("*", str(r.randrange(10**6))).replace("{status,version}", r.choice(["status", "version", "ping"]))
        scopes = {f"{r.choice(services) if r.random() < .2 else s}.{r.choice(verbs)}" for _ in range(r.randint(1, 4))} | ({"audit"} if r.random() < .3 else set())
        x = {"method": r.choice(["GET", "GET", "GET", "POST", "PUT", "DELETE"]), "path": path, "now": 1760000000, "token": {"sub": f"u{r.randrange(999)}", "scope": " ".join(sorted(scopes)), "exp": 1760000000 + r.randrange(-300, 3600)}}
        if r.random() < .3: x["caller"] = r.choice(["mesh:billing", "mesh:search", "edge"])
        ins.append(x)
    return {"gateway": {"routes": routes, "frozen": frozen}}, ins

def iam():
    r = random.Random(22); kinds = {"store": ["get", "put", "list", "delete"], "queue": ["send", "receive", "purge"], "vm": ["start", "stop", "describe"], "key": ["encrypt", "decrypt", "rotate"]}
    envs = ["prod", "test", "dev"]; policies = {}
    def action(k): return r.choice([f"{k}:*", f"{k}:{r.choice(kinds[k])}", f"{k}:{r.choice(kinds[k])}"])
    def resource(k): return r.choice(["*", f"{k}/*", f"{k}/{r.choice(envs)}/*", f"{k}/{r.choice(envs)}/{r.randrange(40)}", f"{k}/{r.choice(envs)}/team{r.randrange(6)}*"])
    def condition(): return r.choice([{"op": "equals", "key": "mfa", "value": True}, {"op": "one of", "key": "region", "value": r.sample(["eu1", "eu2", "us1", "ap1"], 2)}, {"op": "below", "key": "risk", "value": r.randrange(20, 90)}, {"op": "starts", "key": "ip", "value": r.choice(["10.", "10.1.", "192.168."])}, {"op": "differs", "key": "agent", "value": "legacy"}])
    for i in range(120):
        rows = []
        for _ in range(r.randint(1, 4)):
            k = r.choice(list(kinds)); row = {"effect": "allow" if r.random() < .85 else "deny", "actions": sorted({action(k) for _ in range(r.randint(1, 3))}), "resources": sorted({resource(k) for _ in range(r.randint(1, 2))})}
            if r.random() < .5: row["conditions"] = [condition() for _ in range(r.randint(1, 3))]
            rows.append(row)
        policies[f"policy{i:03d}"] = rows
    attached = {f"user{i:04d}": sorted(f"policy{p:03d}" for p in r.sample(range(120), r.randint(1, 6))) for i in range(2000)}; ins = []
    for _ in range(5000):
        k = r.choice(list(kinds))
        ins.append({"principal": f"user{r.randrange(2020):04d}", "action": f"{k}:{r.choice(kinds[k])}", "resource": f"{k}/{r.choice(envs)}/{r.choice(['', 'team0', 'team1', 'team2', 'team5'])}{r.randrange(40)}", "context": {"mfa": r.random() < .6, "region": r.choice(["eu1", "eu2", "us1", "ap1"]), "risk": r.randrange(100), "ip": r.choice(["10.1.0.9", "10.7.3.2", "192.168.4.1", "203.0.113.7"]), **({"agent": r.choice(["web", "cli", "legacy"])} if r.random() < .8 else {})}})
    return {"iam": {"policies": policies, "attached": attached}}, ins

def spend():
    r = random.Random(23); categories = ["travel", "hotel", "meals", "taxi", "software", "gifts"]; grades = ["junior", "senior", "lead"]
    limits = {g: {c: r.randrange(20, 400) * 10**6 * (k + 1) for c in categories if c != "gifts" or g == "lead"} for k, g in enumerate(grades)}
    data = {"rates": {"EUR": 1000, "USD": 920, "GBP": 1170, "CHF": 1050}, "limits": limits, "grades": {f"e{i:03d}": r.choice(grades) for i in range(300)}}
    ins = [{"employee": f"e{r.randrange(300):03d}", "month": f"2026-{r.randrange(1, 13):02d}", "items": [{"category": r.choice(categories if r.random() < .3 else categories[:4]), "merchant": f"m{r.randrange(30)}", "amount": 0, "currency": r.choice(["EUR", "EUR", "USD", "GBP", "CHF"])} for _ in range(r.randint(4, 40))]} for _ in range(500)]
    for x in ins:
        for item in x["items"]: item["amount"] = r.randrange(300, 60000)
    return {"spend": data}, ins

def share():
    r = random.Random(24); NF, ND, NG, NU = 800, 4000, 300, 2000
    parents = {f"folder{i}": ([f"folder{r.randrange(i)}"] if i > 5 else []) for i in range(NF)}
    for i in range(20, NF, 17): parents[f"folder{i}"].append(f"folder{r.randrange(i)}")
    parents.update({f"doc{i}": [f"folder{r.randrange(NF)}"] for i in range(ND)})
    member = {f"group{i}": ([f"group{r.randrange(i)}"] if i > 20 and r.random() < .6 else []) for i in range(NG)}
    member.update({f"user{i}": [f"group{g}" for g in r.sample(range(NG), r.randint(0, 4))] for i in range(NU)})
    grants = {}
    def grant(o):
        g = grants.setdefault(o, {}); g.setdefault(r.choice(["viewer", "viewer", "editor", "owner"]), []).append(r.choice([f"user{r.randrange(NU)}", f"group{r.randrange(NG)}", f"group{r.randrange(NG)}"]))
    for i in range(NF):
        for _ in range(r.randint(0, 4)): grant(f"folder{i}")
    for i in range(ND):
        for _ in range(r.randint(0, 2)): grant(f"doc{i}")
    public = {f"doc{i}": True for i in range(0, ND, 25)}
    ins = [{"user": f"user{r.randrange(NU + 20)}", "permission": r.choice(["view", "view", "edit", "share"]), "object": f"doc{r.randrange(ND + 20)}"} for _ in range(5000)]
    for x in ins[::2]:
        o, chain = x["object"], []
        while o in parents: chain.append(o); o = parents[o][0] if parents[o] else None
        holders = [u for c in chain for us in grants.get(c, {}).values() for u in us if u.startswith("user")]
        if holders: x["user"] = r.choice(holders)
    return {"share": {"parents": parents, "member_of": member, "grants": grants, "public": public}}, ins

def entitle():
    r = random.Random(25); features = [f"feature{i}" for i in range(30)]; resources = ["projects", "storage", "builds", "members"]
    plans = {p: {"features": sorted(r.sample(features, n)), "limits": {x: n * k for k, x in enumerate(resources, 1)}} for p, n in [("free", 5), ("team", 12), ("business", 20), ("enterprise", 28)]}
    tenants, usage = {}, {}
    for i in range(2000):
        t = f"tenant{i:04d}"; users = [f"u{i}-{k}" for k in range(r.randint(1, 25))]
        tenants[t] = {"plan": r.choice(list(plans)), "unpaid_days": r.choice([0, 0, 0, 5, 12, 31, 90]), "extras": r.sample(features, r.randint(0, 3)), "bonus": {x: r.randrange(20) for x in r.sample(resources, r.randint(0, 2))}, "users": users}
        usage[t] = {x: r.randrange(80) for x in resources if r.random() < .9}
    ins = [{"tenant": f"tenant{i:04d}", "user": f"u{i}-{r.randrange(26)}" if r.random() < .3 else f"u{i}-0", "feature": r.choice(features), "resource": r.choice(resources)} for i in (r.randrange(2010) for _ in range(5000))]
    return {"entitle": {"plans": plans, "tenants": tenants, "usage": usage}}, ins

def rules1000():
    r = random.Random(7)
    return None, [{"method": r.choice(["GET", "POST"]), "path": f"/x/{r.randrange(1100)}"} for _ in range(10000)]
def rules1000_policy():
    return "package rules\n\ndefault allow := false\n\n" + "\n".join(f'allow if {{\n\tinput.method == "{"POST" if i % 3 == 0 else "GET"}"\n\tinput.path == "/x/{i}"\n}}\n' for i in range(1000))

def const(): return None, [{"a": 1}]

CASES = {"const": const, "rbac": rbac, "rbac-data": rbac_data, "abac": abac, "k8s": k8s, "lookup1m": lookup1m, "rules1000": rules1000,
         "gateway": gateway, "iam": iam, "spend": spend, "share": share, "entitle": entitle}
def main():
    out = sys.argv[1]
    for n in sys.argv[2:] or CASES:
        d = os.path.join(out, n); os.makedirs(d, exist_ok=True)
        data, ins = CASES[n]()
        json.dump(data if data is not None else {}, open(os.path.join(d, "data.json"), "w"), separators=(",", ":"))
        with open(os.path.join(d, "inputs.jsonl"), "w") as f:
            for x in ins: f.write(D(x) + "\n")
        for fn in ("policy.rego", "meta.json", "expected.jsonl"):
            if os.path.exists(os.path.join(HERE, n, fn)): shutil.copy(os.path.join(HERE, n, fn), d)
        if n == "rules1000": open(os.path.join(d, "policy.rego"), "w").write(rules1000_policy())
        print(n, "inputs", len(ins))
main()
