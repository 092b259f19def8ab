"use strict";
// Everything that comes from the server becomes text (textContent), never markup.
const $ = (id) => document.getElementById(id);
const el = (name, cls, text) => {
  const e = document.createElement(name);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
};
const ROW = 30, STEP = 80;
const rows = new Map();
let stats = {}, now = Math.floor(Date.now() / 1000), shown = [], selected = null, revealed = null, cursor = 0, sort = {by: "state", down: false};
let dirty = true, graphDirty = true, stale = true;
const history_ = new Map();

// ---- words ----

const STATES = {
  failing: {mark: "✗", label: "Not synced", order: 0}, deleting: {mark: "−", label: "Deleting", order: 1}, waiting: {mark: "…", label: "Not ready", order: 2},
  paused: {mark: "‖", label: "Paused", order: 3}, ready: {mark: "✓", label: "Ready", order: 4}, config: {mark: "⚙", label: "Config", order: 5},
};
function stateOf(r) {
  const name = r.deleting ? "deleting" : r.role === "config" ? "config" : r.paused || r.synced[1] === "ReconcilePaused" ? "paused"
    : r.synced[0] === "False" ? "failing" : r.ready[0] === "True" && r.synced[0] === "True" ? "ready" : "waiting";
  const s = STATES[name];
  return {name, mark: s.mark, label: s.label, order: s.order, words: s.label};
}
const messageOf = (r) => (r.synced[0] === "False" ? r.synced[2] || r.synced[1] : r.ready[0] !== "True" && r.role === "managed" ? r.ready[2] || r.ready[1] : "");
function age(then) {
  if (!then) return "";
  const s = Math.max(0, now - then);
  return s < 120 ? s + "s" : s < 7200 ? Math.floor(s / 60) + "m" : s < 172800 ? Math.floor(s / 3600) + "h" : Math.floor(s / 86400) + "d";
}
const shortProvider = (p) => p.replace(/^registry\.(terraform\.io|opentofu\.org)\//, "");
const milliseconds = (us) => (us < 10000 ? (us / 1000).toFixed(1) : Math.round(us / 1000)) + " ms";

// Names as people count: db-2 before db-10.
const collator = new Intl.Collator("en", {numeric: true});
const compare = (a, b) => (a === b ? 0 : typeof a === "number" ? a - b : collator.compare(a, b));
// Long words such as LastAsyncOperation may break where a capital letter begins.
function breakable(e, words) {
  words.split(/(?<=[a-z])(?=[A-Z])/).forEach((part, i) => e.append(...(i ? [el("wbr")] : []), part));
  return e;
}

// ---- the list ----

const COLUMNS = [
  {id: "state", title: "State", of: (r) => stateOf(r).order, cell: (r) => { const s = stateOf(r), c = el("span"); c.append(el("span", "badge " + s.name, s.mark + " " + s.label)); return c; }},
  {id: "name", title: "Name", of: (r) => r.name, cell: (r) => el("span", "name", r.name)},
  {id: "kind", title: "Kind", of: (r) => r.kind, cell: (r) => { const c = el("span", "", r.kind); c.title = r.kind + "." + r.group; return c; }},
  {id: "namespace", title: "Namespace", wide: true, of: (r) => r.namespace, cell: (r) => el("span", "quiet", r.namespace)},
  {id: "provider", title: "Provider", wide: true, of: (r) => r.provider, cell: (r) => el("span", "quiet", shortProvider(r.provider))},
  {id: "age", title: "Age", n: true, of: (r) => -r.created, cell: (r) => el("span", "n", age(r.created))},
  {id: "changed", title: "Changed", n: true, of: (r) => -r.changed, cell: (r) => el("span", "n", r.changed ? age(r.changed) : "–")},
  {id: "message", title: "Message", wide: true, of: messageOf, cell: (r) => { const c = el("span", "quiet", messageOf(r)); c.title = messageOf(r); return c; }},
];

function filtered() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean), state = $("state").value, provider = $("provider").value, kind = $("kind").value, ns = $("namespace").value;
  const out = [];
  for (const r of rows.values()) {
    if ((state && stateOf(r).name !== state) || (provider && r.provider !== provider) || (kind && r.kind !== kind) || (ns && r.namespace !== ns)) continue;
    if (words.length) {
      r.text = r.text || [r.name, r.namespace, r.kind, r.group, r.type, r.provider, r.external, messageOf(r), r.synced[1], r.ready[1]].join(" ").toLowerCase();
      if (!words.every((w) => r.text.includes(w))) continue;
    }
    out.push(r);
  }
  const column = COLUMNS.find((c) => c.id === sort.by), sign = sort.down ? -1 : 1;
  out.sort((a, b) => sign * compare(column.of(a), column.of(b)) || compare(a.kind, b.kind) || compare(a.name, b.name) || compare(a.key, b.key));
  return out;
}
function options(select, values) {
  const had = select.value, wanted = [...values].filter(Boolean).sort(compare);
  if (select.dataset.values === wanted.join("\n")) return;
  select.dataset.values = wanted.join("\n");
  select.replaceChildren(select.options[0], ...wanted.map((v) => { const o = el("option", "", select.id === "provider" ? shortProvider(v) : v); o.value = v; return o; }));
  select.value = wanted.includes(had) ? had : "";
}
function renderList() {
  shown = filtered();
  options($("provider"), new Set([...rows.values()].map((r) => r.provider)));
  options($("kind"), new Set([...rows.values()].map((r) => r.kind)));
  options($("namespace"), new Set([...rows.values()].map((r) => r.namespace)));
  $("rows").style.height = shown.length * ROW + "px";
  $("grid").setAttribute("aria-rowcount", shown.length + 1);
  $("count").textContent = shown.length === rows.size ? `${rows.size} objects` : `${shown.length} of ${rows.size}`;
  $("empty").hidden = shown.length > 0;
  $("empty").textContent = rows.size ? "Nothing matches." : "There are no resources yet.";
  const at = selected ? shown.findIndex((r) => r.key === selected) : -1;
  if (at >= 0) cursor = at;
  if (at >= 0 && revealed !== selected) reveal(); // once: who scrolls away from it then wants to be there
  if (at >= 0 || !selected) revealed = selected;
  renderRows();
}
// Only what can be seen is in the document, whatever the number of objects.
function renderRows() {
  const box = $("scroll"), from = Math.max(0, Math.floor(box.scrollTop / ROW) - 5), to = Math.min(shown.length, from + Math.ceil(box.clientHeight / ROW) + 10);
  const parts = [];
  for (let i = from; i < to; i++) {
    const r = shown[i];
    if (!r.row || r.rowAt !== now) {
      r.row = el("div", "row" + (r.fresh ? " fresh" : ""));
      r.rowAt = now;
      r.fresh = false;
      r.row.setAttribute("role", "row");
      r.row.append(...COLUMNS.map((c) => { const e = c.cell(r); e.setAttribute("role", "gridcell"); if (c.wide) e.classList.add("wide"); return e; }));
      r.row.dataset.key = r.key;
    }
    r.row.id = "row-" + i;
    r.row.style.top = i * ROW + "px";
    r.row.setAttribute("aria-rowindex", i + 2);
    r.row.setAttribute("aria-selected", r.key === selected || (!selected && i === cursor && document.activeElement === $("grid")));
    parts.push(r.row);
  }
  $("rows").replaceChildren(...parts);
  $("grid").setAttribute("aria-activedescendant", "row-" + cursor);
}
function reveal() {
  const box = $("scroll"), y = cursor * ROW;
  if (y < box.scrollTop) box.scrollTop = y;
  if (y + ROW > box.scrollTop + box.clientHeight) box.scrollTop = y + ROW - box.clientHeight;
}
function move(by) {
  if (!shown.length) return;
  cursor = Math.min(shown.length - 1, Math.max(0, cursor + by));
  reveal();
  if (selected) location.hash = "#/r/" + encodeURIComponent(shown[cursor].key);
  renderRows();
}
function renderHead() {
  $("head").replaceChildren(...COLUMNS.map((c) => {
    const b = el("button", "", c.title), cell = el("span", (c.wide ? "wide" : "") + (c.n ? " n" : ""));
    b.type = "button";
    if (sort.by === c.id) cell.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
    b.addEventListener("click", () => { sort = {by: c.id, down: sort.by === c.id && !sort.down}; renderHead(); renderList(); });
    cell.setAttribute("role", "columnheader");
    cell.append(b);
    return cell;
  }));
}
function renderSummary() {
  const n = {};
  let managed = 0;
  for (const r of rows.values()) { const s = stateOf(r).name; n[s] = (n[s] || 0) + 1; managed += r.role === "managed"; }
  const parts = [["ready", "ready"], ["waiting", "not ready"], ["failing", "not synced"], ["paused", "paused"], ["deleting", "deleting"]].filter(([k]) => n[k]);
  $("summary").replaceChildren(...parts.map(([k, words]) => { const s = el("span"); s.append(el("span", k, STATES[k].mark + " "), el("b", "", n[k]), " " + words); return s; }));
  document.title = managed ? `${n.ready || 0}/${managed} ready · Terrane` : "Terrane";
}

// ---- one resource ----

// The first line of what is below a dash stands beside it.
function yaml(value, indent, out, beside) {
  let pad = beside ? "" : "  ".repeat(indent);
  const scalar = (v) => (typeof v === "string" ? (v === "" || /^[\s\-?:,[\]{}#&*!|>'"%@`]|[:#]\s|\s$|^(true|false|null|~|[\d.+-]+)$/i.test(v) || /[\x00-\x1f]/.test(v) ? JSON.stringify(v) : v) : String(v));
  const leaf = (v) => v === null || typeof v !== "object" || (Array.isArray(v) ? v.length === 0 : Object.keys(v).length === 0);
  const show = (v) => (v !== null && typeof v === "object" ? (Array.isArray(v) ? "[]" : "{}") : scalar(v));
  if (Array.isArray(value)) {
    for (const v of value) {
      out.append(pad + "- ");
      pad = "  ".repeat(indent);
      if (leaf(v)) out.append(show(v) + "\n");
      else yaml(v, indent + 1, out, true);
    }
    return;
  }
  for (const [k, v] of Object.entries(value)) {
    out.append(pad, el("span", "k", k), ":");
    pad = "  ".repeat(indent);
    if (leaf(v)) out.append(" " + show(v) + "\n");
    else { out.append("\n"); yaml(v, indent + 1, out); }
  }
}
function tree(value, label) {
  const pre = el("pre"), part = el("div");
  pre.tabIndex = 0;
  pre.setAttribute("aria-label", label);
  if (value && Object.keys(value).length) yaml(value, 0, pre); else pre.textContent = "(nothing)";
  part.append(el("h3", "", label), pre);
  return part;
}
function table(label, titles, lines) {
  const part = el("div"), t = el("table"), head = el("tr");
  titles.forEach((c) => head.append(el("th", "", c)));
  const thead = el("thead"), body = el("tbody");
  thead.append(head);
  for (const cells of lines) { const tr = el("tr"); tr.append(...cells); body.append(tr); }
  t.append(thead, body);
  part.append(el("h3", "", label), lines.length ? t : el("p", "quiet", "none"));
  return part;
}
function links(label, keys) {
  const part = el("div"), list = el("ul", "links");
  for (const key of keys) {
    const r = rows.get(key), li = el("li"), [, kind, ns, name] = key.split("/"), s = r && stateOf(r), a = el(r ? "a" : "span", r ? "" : "chip", `${s ? s.mark + " " : "? "}${kind} ${ns ? ns + "/" : ""}${name}${r ? "" : " (not there)"}`);
    if (r) a.href = "#/r/" + encodeURIComponent(key);
    li.append(a);
    list.append(li);
  }
  part.append(el("h3", "", label), keys.length ? list : el("p", "quiet", "nothing"));
  return part;
}
function secretsOf(object, ns) {
  const found = [];
  const walk = (v, path, depth) => {
    if (!v || typeof v !== "object" || depth > 40) return;
    for (const [k, x] of Object.entries(v)) {
      if (x && typeof x === "object" && typeof x.name === "string" && /(SecretRef|secretRef|writeConnectionSecretToRef)$/.test(k))
        found.push({words: k === "writeConnectionSecretToRef" ? "connection details are written to" : path + k + " reads", name: `${x.namespace || ns || ""}/${x.name}${x.key ? " · " + x.key : ""}`});
      else walk(x, path + k + ".", depth + 1);
    }
  };
  walk(object.spec, "", 0);
  return found;
}
let detailData = null, detailBusy = null;
async function load(key) {
  detailBusy = key;
  let data = null, error = "";
  try {
    const answer = await fetch("/api/object?key=" + encodeURIComponent(key));
    if (answer.ok) data = await answer.json(); else error = (await answer.text()).trim();
  } catch (e) { error = "The server does not answer."; }
  if (detailBusy !== key || selected !== key) return;
  detailData = {key, data, error, plan: detailData && detailData.key === key ? detailData.plan : null};
  renderDetail();
}
function planLines(text) {
  const pre = el("pre", "plan");
  pre.tabIndex = 0;
  for (const line of text.replace(/\n+$/, "").split("\n")) {
    const sign = line.trimStart().slice(0, 3), cls = sign.startsWith("-/+") || sign.startsWith("+/-") || sign.startsWith("~ ") ? "change" : sign.startsWith("+ ") ? "add" : sign.startsWith("- ") ? "remove" : "";
    pre.append(el("span", cls, line));
  }
  return pre;
}
function renderPlan(box) {
  const p = detailData && detailData.plan, words = {unchanged: "Nothing: ", changes: "", waits: "It waits: ", fails: "It would fail: "};
  box.replaceChildren(el("h3", "", "What the next reconcile would change"));
  if (!p) {
    const b = el("button", "", "Ask the provider");
    b.id = "ask-plan";
    b.type = "button";
    b.addEventListener("click", () => askPlan(box));
    box.append(b);
  } else if (p.error || p.busy) box.append(el("p", p.error ? "error" : "quiet", p.error || "Asking the provider…"));
  else {
    const said = (words[p.outcome] + (p.why || (p.outcome === "unchanged" ? "it is as it should be" : ""))).trim();
    if (said) box.append(el("p", p.outcome === "fails" ? "error" : "quiet", said));
    if (p.plan.trim()) box.append(planLines(p.plan));
  }
}
async function askPlan(box) {
  const mine = detailData;
  mine.plan = {busy: true};
  renderPlan(box);
  try {
    const answer = await fetch("/api/plan?key=" + encodeURIComponent(mine.key));
    mine.plan = answer.ok ? await answer.json() : {error: (await answer.text()).trim()};
  } catch (e) { mine.plan = {error: "The server does not answer."}; }
  if (detailData && detailData.key === mine.key) { detailData.plan = mine.plan; const here = $("plan"); if (here) renderPlan(here); }
}
const DONE = {pause: "Paused.", resume: "Resumed.", reconcile: "The reconcile is requested.", delete: "The deletion is requested."};
async function act(key, action) {
  const answer = await fetch(`/api/action?do=${action}&key=${encodeURIComponent(key)}`, {method: "POST", headers: {"X-Terrane-Action": "1"}}).catch(() => null);
  const said = $("said");
  if (said) { said.textContent = !answer ? "The server does not answer." : answer.ok ? DONE[action] : (await answer.text()).trim(); said.className = answer && answer.ok ? "quiet" : "error"; }
}
function confirmDelete(r) {
  const d = $("confirm");
  $("confirm-text").textContent = `${r.kind} ${r.name} and its external resource will be deleted.`;
  $("confirm-name").value = "";
  $("confirm-yes").disabled = true;
  $("confirm-name").oninput = () => { $("confirm-yes").disabled = $("confirm-name").value !== r.name; };
  $("confirm-no").onclick = () => d.close();
  $("confirm-yes").onclick = () => { d.close(); act(r.key, "delete"); };
  d.showModal();
}
function actionButtons(r) {
  const box = el("p", "buttons");
  const add = (words, fn, cls) => { const b = el("button", cls || "", words); b.type = "button"; b.addEventListener("click", fn); box.append(b); };
  add(r.paused ? "Resume" : "Pause", () => act(r.key, r.paused ? "resume" : "pause"));
  if (!r.paused) add("Reconcile now", () => act(r.key, "reconcile"));
  add("Delete…", () => confirmDelete(r), "danger");
  const said = el("span", "quiet");
  said.id = "said";
  said.setAttribute("role", "status");
  box.append(said);
  return box;
}
function renderDetail() {
  const box = $("detail"), r = rows.get(selected);
  box.hidden = !selected;
  $("grid").classList.toggle("narrow", Boolean(selected));
  if (!selected) return;
  const top = el("div", "top"), close = el("button", "close", "Close");
  close.type = "button";
  close.addEventListener("click", () => { location.hash = "#/"; });
  const [, kind, , name] = selected.split("/");
  top.append(el("h2", "", r ? r.name : name));
  if (r) top.append(el("span", "badge " + stateOf(r).name, stateOf(r).mark + " " + stateOf(r).label));
  top.append(close);
  const parts = [top], d = detailData && detailData.key === selected ? detailData : null;
  if (!r) { box.replaceChildren(top, el("p", "quiet", `${kind} ${name} is not there, or no longer.`)); return; }
  const facts = el("dl", "facts");
  for (const [k, v] of [["Kind", r.kind + "." + r.group], ["Namespace", r.namespace], ["Terraform", r.type], ["Provider", r.provider], ["ProviderConfig", r.config], ["External name", r.external], ["Age", age(r.created)], ["Changed", age(r.changed)]])
    if (v) facts.append(el("dt", "", k), el("dd", "", v));
  parts.push(facts);
  if (stats.actions && r.role === "managed") parts.push(actionButtons(r));
  if (d && d.error) parts.push(el("p", "error", d.error));
  if (d && d.data && d.data.object) {
    const o = d.data.object, conditions = (o.status && o.status.conditions) || [];
    parts.push(table("Conditions", ["Type", "Status", "Reason", "Since", "Message"], conditions.map((c) => [breakable(el("td"), c.type), el("td", "status " + (c.status === "True" ? "ready" : "failing"), (c.status === "True" ? "✓ " : "✗ ") + c.status), breakable(el("td"), c.reason || ""), el("td", "t", age(Math.floor(Date.parse(c.lastTransitionTime) / 1000))), el("td", "", c.message || "")])));
    if (r.role === "managed" && stats.previews) { const plan = el("div"); plan.id = "plan"; renderPlan(plan); parts.push(plan); }
    const side = el("div", "side");
    const status = Object.assign({}, o.status);
    delete status.conditions;
    side.append(tree(o.spec, "Spec"), tree(status, "Status"));
    parts.push(side);
    parts.push(links("Refers to", r.refs), links("Referred to by", [...rows.values()].filter((x) => x.refs.includes(r.key)).map((x) => x.key)));
    const secrets = el("div"), list = el("ul", "links");
    for (const s of secretsOf(o, r.namespace)) { const li = el("li", "chip", `${s.words} Secret ${s.name}`); list.append(li); }
    secrets.append(el("h3", "", "Secrets (names only)"), list.children.length ? list : el("p", "quiet", "none"));
    parts.push(secrets);
    parts.push(table("Events", ["Last seen", "Type", "Reason", "Count", "Message"], d.data.events.slice().reverse().map((e) => [el("td", "t", age(e.last)), el("td", e.type === "Warning" ? "failing" : "", e.type), breakable(el("td"), e.reason), el("td", "n", e.count), el("td", "", e.message)])));
    const m = Object.assign({}, o.metadata);
    parts.push(tree({labels: m.labels || {}, annotations: m.annotations || {}, uid: m.uid, generation: m.generation, resourceVersion: m.resourceVersion}, "Metadata"));
  }
  const y = box.scrollTop;
  box.replaceChildren(...parts);
  box.scrollTop = y;
}

// ---- providers ----

function renderProviders() {
  const cards = [["Processes", stats.processes], ["Configurations", stats.configurations], ["Starts", stats.started], ["Restarts after a crash", stats.lost], ["Calls in progress", stats.active], ["Waiting in the queue", stats.queue], ["Reconciles", stats.passes], ["Failed reconciles", stats.failed], ["Operations in progress", stats.operations]];
  $("cards").replaceChildren(...cards.map(([k, v]) => { const c = el("div", "card"); c.append(el("b", "", v === undefined ? "–" : v), el("span", "quiet", k)); return c; }));
  const body = document.querySelector("#providers tbody"), NS = "http://www.w3.org/2000/svg";
  body.replaceChildren(...(stats.providers || []).map((p) => {
    const tr = el("tr"), points = history_.get(p.address) || [], top = Math.max(1, ...points), svg = document.createElementNS(NS, "svg"), path = document.createElementNS(NS, "path"), cell = el("td");
    svg.setAttribute("class", "spark");
    svg.setAttribute("viewBox", "0 0 180 26");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `calls per second, at most ${top / 10}`);
    path.setAttribute("d", points.map((v, i) => `${i ? "L" : "M"}${(180 - (points.length - 1 - i) * 3).toFixed(1)} ${(24 - (v / top) * 22).toFixed(1)}`).join(""));
    svg.append(path);
    cell.append(svg);
    tr.append(el("td", "", shortProvider(p.address)), el("td", "n", p.calls), el("td", "n" + (p.failed ? " failing" : ""), p.failed), el("td", "n", (p.per_10s / 10).toFixed(1)), el("td", "n", milliseconds(p.median_us)), el("td", "n", milliseconds(p.p95_us)), cell);
    return tr;
  }));
  if (!(stats.providers || []).length) { const tr = el("tr"), td = el("td", "quiet", "No provider has been called yet."); td.colSpan = 7; tr.append(td); body.append(tr); }
}

// ---- views ----

const view = () => (location.hash.startsWith("#/graph") ? "graph" : location.hash.startsWith("#/providers") ? "providers" : "list");
function renderGraph() {
  const all = $("graph-configs").checked, some = new Map();
  for (const r of rows.values()) if (all || r.role === "managed") some.set(r.key, r);
  Graph.update(some, stateOf);
}
function route() {
  const v = view(), was = selected;
  for (const name of ["list", "graph", "providers"]) {
    $("view-" + name).hidden = name !== v;
    if (name === v) $("tab-" + name).setAttribute("aria-current", "page"); else $("tab-" + name).removeAttribute("aria-current");
  }
  try { selected = location.hash.startsWith("#/r/") ? decodeURIComponent(location.hash.slice(4)) : null; } catch (e) { selected = null; }
  if (selected !== was) { detailData = null; $("detail").scrollTop = 0; if (selected) load(selected); }
  renderDetail();
  const focused = document.activeElement;
  if (was && !selected && v === "list" && (focused === document.body || $("detail").contains(focused))) $("grid").focus(); // the keyboard goes on from there
  dirty = graphDirty = true;
  schedule();
}
let planned = false;
function schedule() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    if (dirty) { dirty = false; renderSummary(); if (view() === "list") renderList(); }
    if (graphDirty && view() === "graph") { graphDirty = false; renderGraph(); }
    if (view() === "providers") renderProviders();
  });
}

// ---- the stream ----

function live(cls, words) { $("live").className = "live " + cls; $("live").textContent = words; }
function take(list) {
  for (const r of list) {
    if (r.gone) { rows.delete(r.gone); continue; }
    const old = rows.get(r.key);
    if (old) r.changed = Math.max(r.changed, old.changed); // a list knows less than what was seen
    r.fresh = !stale;
    rows.set(r.key, r);
    if (r.key === selected) load(selected);
  }
  stale = false;
  if (selected && !rows.has(selected)) renderDetail();
  dirty = graphDirty = true;
  schedule();
}
function connect() {
  const source = new EventSource("/api/stream");
  source.addEventListener("open", () => live("on", "live"));
  source.addEventListener("error", () => live("off", source.readyState === EventSource.CLOSED ? "no access or gone: open the address with its token again" : "reconnecting"));
  source.addEventListener("reset", () => { rows.clear(); stale = true; dirty = true; });
  source.addEventListener("rows", (e) => take(JSON.parse(e.data)));
  source.addEventListener("stats", (e) => {
    const before = stats;
    stats = JSON.parse(e.data);
    now = stats.now;
    for (const p of stats.providers) {
      const points = history_.get(p.address) || [];
      points.push(p.per_10s);
      history_.set(p.address, points.slice(-60));
    }
    if (selected && (before.actions !== stats.actions || before.previews !== stats.previews)) renderDetail();
    dirty = true;
    schedule();
  });
}

// ---- beginning ----

function theme(next) {
  const order = ["", "light", "dark"];
  let at = "";
  try { at = localStorage.getItem("theme") || ""; } catch (e) { /* not kept then */ }
  if (next) { at = order[(order.indexOf(at) + 1) % 3]; try { localStorage.setItem("theme", at); } catch (e) { /* likewise */ } }
  if (at) document.documentElement.dataset.theme = at; else delete document.documentElement.dataset.theme;
  $("theme").replaceChildren(el("span", "word", "Theme: "), at || "auto");
}
function keys(e) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || document.querySelector("dialog[open]");
  if (e.key === "Escape" && !document.querySelector("dialog[open]")) { if (typing) e.target.blur(); else if (selected) location.hash = "#/"; return; }
  if (e.target === $("search") && e.key === "ArrowDown") { $("grid").focus(); e.preventDefault(); return; }
  if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
  const page = Math.floor($("scroll").clientHeight / ROW);
  const inList = view() === "list" && !(e.target.closest && e.target.closest("#detail"));
  const does = {
    "/": () => (view() === "graph" ? $("graph-search") : $("search")).focus(), "?": () => $("help").showModal(), t: () => theme(true),
    l: () => { location.hash = "#/"; }, g: () => { location.hash = "#/graph"; }, p: () => { location.hash = "#/providers"; },
  };
  if (inList) Object.assign(does, {ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1), PageDown: () => move(page), PageUp: () => move(-page), Home: () => move(-1e9), End: () => move(1e9)});
  if (inList && !/^(BUTTON|A)$/.test(e.target.tagName)) does.Enter = () => { if (shown[cursor]) location.hash = "#/r/" + encodeURIComponent(shown[cursor].key); };
  if (view() === "graph") {
    Object.assign(does, {"+": () => Graph.zoom(1.3), "-": () => Graph.zoom(1 / 1.3), "0": () => Graph.fit()});
    Object.assign(does, {ArrowLeft: () => Graph.pan(STEP, 0), ArrowRight: () => Graph.pan(-STEP, 0), ArrowUp: () => Graph.pan(0, STEP), ArrowDown: () => Graph.pan(0, -STEP)});
  }
  if (does[e.key]) { does[e.key](); e.preventDefault(); }
}
theme(false);
renderHead();
for (const id of ["search", "state", "provider", "kind", "namespace"]) $(id).addEventListener("input", () => { $("scroll").scrollTop = 0; cursor = 0; renderList(); });
$("scroll").addEventListener("scroll", renderRows, {passive: true});
$("rows").addEventListener("click", (e) => { const row = e.target.closest(".row"); if (row) location.hash = "#/r/" + encodeURIComponent(row.dataset.key); });
$("theme").addEventListener("click", () => theme(true));
$("keys").addEventListener("click", () => $("help").showModal());
$("graph-search").addEventListener("input", () => {
  const w = $("graph-search").value.toLowerCase();
  Graph.highlight(w ? (key) => key.toLowerCase().includes(w) : null);
});
$("graph-configs").addEventListener("input", () => { graphDirty = true; schedule(); });
Graph.begin((key) => { location.hash = "#/r/" + encodeURIComponent(key); });
window.addEventListener("hashchange", route);
window.addEventListener("resize", () => renderRows());
document.addEventListener("keydown", keys);
route();
connect();
