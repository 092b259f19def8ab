"use strict";
// The graph: what is referred to stands left of what refers to it. Zooming and dragging change one transform.
const Graph = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const W = 190, H = 30, GAP_X = 70, GAP_Y = 10, TALL = 42;
  const svg = () => document.getElementById("graph");
  const FAR = 0.45;
  const nodes = new Map();
  let place = new Map(), objects = new Map(), edges = [], shape = "", view = {x: 20, y: 20, k: 1}, box = {w: 1, h: 1}, moved = false, open = () => {}, fitted = false;
  let stateOf = () => ({}), match = null, hotKey = null, planned = false;

  const make = (name, attributes, text) => {
    const e = document.createElementNS(NS, name);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const cut = (text, n) => (text.length > n ? text.slice(0, n - 1) + "…" : text);

  function depths(rows) {
    const depth = new Map(), busy = new Set();
    const of = (start) => { // without recursion: chains may be long
      const stack = [start];
      while (stack.length) {
        const key = stack[stack.length - 1], row = rows.get(key);
        if (depth.has(key)) { stack.pop(); continue; }
        busy.add(key);
        const next = row.refs.filter((r) => rows.has(r) && !depth.has(r) && !busy.has(r));
        if (next.length) { stack.push(next[0]); continue; }
        depth.set(key, row.refs.reduce((d, r) => (rows.has(r) && depth.has(r) ? Math.max(d, depth.get(r) + 1) : d), 0));
        busy.delete(key);
        stack.pop();
      }
    };
    for (const key of rows.keys()) of(key);
    return depth;
  }

  function layout(rows) {
    const layers = [], depth = depths(rows), used = new Set();
    for (const row of rows.values()) for (const r of row.refs) if (rows.has(r)) { used.add(r); used.add(row.key); }
    for (const row of rows.values()) { // those without any reference come last, in columns of their own
      const d = used.has(row.key) ? depth.get(row.key) : 1000;
      (layers[d] = layers[d] || []).push(row);
    }
    const found = new Map();
    let x = 0, tallest = 0;
    for (const layer of layers.filter(Boolean)) {
      const where = (row) => {
        const ys = row.refs.filter((r) => found.has(r)).map((r) => found.get(r).y);
        return ys.length ? ys.reduce((a, b) => a + b, 0) / ys.length : 0;
      };
      const sorted = layer.map((row) => ({row, y: where(row)}));
      sorted.sort((a, b) => a.y - b.y || compare(a.row.kind, b.row.kind) || compare(a.row.name, b.row.name));
      sorted.forEach(({row}, i) => {
        found.set(row.key, {x: x + Math.floor(i / TALL) * (W + 24), y: (i % TALL) * (H + GAP_Y)});
      });
      tallest = Math.max(tallest, Math.min(layer.length, TALL) * (H + GAP_Y));
      x += (Math.ceil(layer.length / TALL) - 1) * (W + 24) + W + GAP_X;
    }
    box = {w: Math.max(x - GAP_X, W), h: Math.max(tallest, H)};
    return found;
  }

  function shapes(rows) {
    place = layout(rows);
    objects = rows;
    edges = [];
    nodes.clear();
    document.getElementById("graph-nodes").replaceChildren();
    for (const row of rows.values()) for (const r of row.refs) if (place.has(r)) edges.push({from: row.key, to: r});
    document.getElementById("graph-count").textContent = `${rows.size} objects, ${edges.length} references`;
  }
  function curve(e) {
    const p = place.get(e.from), q = place.get(e.to), x1 = q.x + W, y1 = q.y + H / 2, x2 = p.x, y2 = p.y + H / 2, m = Math.max(30, Math.abs(x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + m} ${y1} ${x2 - m} ${y2} ${x2} ${y2}`;
  }
  // From afar all objects of a state are one path, so that a thousand of them move as smoothly as ten.
  function paintFar() {
    const by = {};
    for (const row of objects.values()) {
      const p = place.get(row.key), name = stateOf(row).name + (match && !match(row.key) ? " dim" : "");
      (by[name] = by[name] || []).push(`M${p.x} ${p.y}h${W}v${H}h${-W}z`);
    }
    document.getElementById("graph-far").replaceChildren(...Object.entries(by).map(([name, d]) => make("path", {class: "far " + name, d: d.join("")})));
    const lines = [["edge", edges.filter((e) => !match || match(e.from) || match(e.to))], ["edge hot", edges.filter((e) => hotKey && (e.from === hotKey || e.to === hotKey))]];
    document.getElementById("graph-edges").replaceChildren(...lines.map(([c, list]) => make("path", {class: c, d: list.map(curve).join("")})));
  }
  function nodeOf(row) {
    let g = nodes.get(row.key);
    if (!g) {
      const p = place.get(row.key);
      g = make("g", {transform: `translate(${p.x} ${p.y})`, tabindex: "0", role: "link"});
      g.append(make("rect", {width: W, height: H, rx: 5}), make("text", {class: "mark", x: 8, y: 19}), make("text", {x: 24, y: 13}, cut(row.name, 26)),
        make("text", {class: "sub", x: 24, y: 24}, cut(row.kind + (row.namespace ? " · " + row.namespace : ""), 34)), make("title"));
      g.dataset.key = row.key;
      nodes.set(row.key, g);
    }
    const state = stateOf(row), title = `${row.kind} ${row.name}: ${state.words}`;
    if (g.dataset.title !== title || g.dataset.dim !== String(Boolean(match))) {
      g.dataset.title = title;
      g.setAttribute("aria-label", title);
      g.querySelector(".mark").textContent = state.mark;
      g.querySelector("title").textContent = title;
    }
    g.setAttribute("class", "node " + state.name + (match && !match(row.key) ? " dim" : ""));
    return g;
  }
  // Near: only what can be seen is in the document.
  function paintNear() {
    const root = document.getElementById("graph-nodes"), far = view.k < FAR, r = svg().getBoundingClientRect();
    document.getElementById("graph-far").style.display = far ? "" : "none";
    root.style.display = far ? "none" : "";
    if (far) return;
    const x1 = -view.x / view.k - W, y1 = -view.y / view.k - H, x2 = x1 + r.width / view.k + W, y2 = y1 + r.height / view.k + H, wanted = [];
    for (const row of objects.values()) {
      const p = place.get(row.key);
      if (p.x >= x1 && p.x <= x2 && p.y >= y1 && p.y <= y2) wanted.push(nodeOf(row));
    }
    const keep = new Set(wanted);
    for (const g of [...root.children]) if (!keep.has(g)) g.remove();
    for (const g of wanted) if (!g.parentNode) root.append(g);
  }
  function transform() {
    document.getElementById("graph-world").setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.k})`);
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => { planned = false; paintNear(); });
  }
  function zoom(by, cx, cy) {
    const r = svg().getBoundingClientRect(), k = Math.min(4, Math.max(0.04, view.k * by));
    if (cx === undefined) { cx = r.width / 2; cy = r.height / 2; }
    view = {x: cx - (cx - view.x) * (k / view.k), y: cy - (cy - view.y) * (k / view.k), k};
    transform();
  }
  function pan(x, y) { view.x += x; view.y += y; transform(); }
  function fit() {
    const r = svg().getBoundingClientRect();
    if (!r.width) return;
    const k = Math.min(1.3, (r.width - 40) / box.w, (r.height - 40) / box.h);
    view = {k, x: (r.width - box.w * k) / 2, y: Math.max(20, (r.height - box.h * k) / 2)};
    transform();
  }
  // Positions are computed anew only when what there is to draw has another shape.
  function update(rows, of) {
    const now = [...rows.values()].map((r) => r.key + ">" + r.refs.join()).sort().join("|");
    stateOf = of;
    objects = rows;
    if (now !== shape) { shape = now; shapes(rows); }
    paintFar();
    if (!fitted) { fitted = true; fit(); }
    paintNear();
  }
  function highlight(fn) { match = fn; paintFar(); paintNear(); }
  function hot(key) { if (key !== hotKey) { hotKey = key; paintFar(); } }
  // Which object is there, near or from afar.
  function at(e) {
    const r = svg().getBoundingClientRect(), x = (e.clientX - r.left - view.x) / view.k, y = (e.clientY - r.top - view.y) / view.k;
    for (const [key, p] of place) if (x >= p.x && x <= p.x + W && y >= p.y && y <= p.y + H) return key;
    return null;
  }
  function begin(onOpen) {
    open = onOpen;
    const s = svg();
    let drag = null;
    s.addEventListener("wheel", (e) => {
      e.preventDefault();
      const r = s.getBoundingClientRect();
      zoom(Math.exp(-e.deltaY * 0.0015), e.clientX - r.left, e.clientY - r.top);
    }, {passive: false});
    s.addEventListener("pointerdown", (e) => { drag = {x: e.clientX - view.x, y: e.clientY - view.y}; moved = false; });
    window.addEventListener("pointermove", (e) => {
      if (!drag) return;
      moved = moved || Math.abs(e.clientX - drag.x - view.x) + Math.abs(e.clientY - drag.y - view.y) > 4;
      if (moved) { s.classList.add("drag"); view.x = e.clientX - drag.x; view.y = e.clientY - drag.y; transform(); }
    });
    window.addEventListener("pointerup", () => { drag = null; s.classList.remove("drag"); });
    const keyOf = (e) => e.target.closest && e.target.closest("[data-key]");
    s.addEventListener("click", (e) => { const key = at(e); if (key && !moved) open(key); });
    s.addEventListener("keydown", (e) => { const g = keyOf(e); if (g && e.key === "Enter") open(g.dataset.key); });
    s.addEventListener("pointermove", (e) => { if (!drag) hot(at(e)); });
    document.getElementById("zoom-in").addEventListener("click", () => zoom(1.3));
    document.getElementById("zoom-out").addEventListener("click", () => zoom(1 / 1.3));
    document.getElementById("zoom-fit").addEventListener("click", fit);
  }
  return {begin, update, highlight, zoom, pan, fit, size: () => objects.size, references: () => edges.length};
})();
