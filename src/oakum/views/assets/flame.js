// Draws call trees: the one that is a whole page, or several among other things. Each stands in an element .flame whose
// parts have ids with its prefix. Names come from evidence and are hostile: they only ever reach textContent.
"use strict";

// Before the first paint, so that a theme asked for in the address does not flash.
const asked = () => new URLSearchParams(location.hash.slice(1).replace(/\+/g, "%2B"));
const paint = (theme) => {
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
};
if (document.documentElement.dataset.flame === "alone") paint(asked().get("theme"));

const drawFlame = (root) => {
  const prefix = root.dataset.prefix, alone = prefix === ""; // alone, it owns the address, the theme and all keys
  const $ = (id) => document.getElementById(prefix + id);
  const data = JSON.parse($("data").textContent);
  const graph = $("graph"), tip = $("tip"), search = $("search");
  const keys = alone ? $("keys") : { open: false };
  const words = JSON.parse($("words").textContent);
  const say = (key, told = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => told[name]);
  const OWNERS = { o: "own", d: "dependency", s: "stdlib", r: "runtime", l: "label" };
  const WIDTH = data.compared ? 2 : 0; // the side of the values that widths show
  const MOST_FRAMES = 6000; // more are not told apart on a screen, and slow it down

  // ---- the two trees -------------------------------------------------------------------------------------------
  const prepared = new Map();

  // Children of every node, widest first, and each node's own value, for one tree and one sample type.
  function prepare(inverted, type) {
    const id = `${inverted} ${type}`;
    if (prepared.has(id)) return prepared.get(id);
    const tree = data.trees[inverted ? 1 : 0];
    const count = tree.parent.length, sides = tree.cum.map((side) => side[type]);
    const children = Array.from({ length: count }, () => []);
    const flat = sides.map((side) => side.slice());
    for (let n = 1; n < count; n++) {
      children[tree.parent[n]].push(n);
      sides.forEach((side, s) => { flat[s][tree.parent[n]] -= side[n]; });
    }
    const width = sides[WIDTH];
    let greatest = 0;
    for (let n = 0; n < count; n++) {
      children[n].sort((a, b) => (tree.name[a] < 0) - (tree.name[b] < 0) || width[b] - width[a] || a - b);
      if (data.compared && n) greatest = Math.max(greatest, Math.abs(sides[0][n] - sides[1][n]));
    }
    const view = { ...tree, children, flat, sides, width, greatest, count };
    prepared.set(id, view);
    return view;
  }

  const nameOf = (n) => {
    if (!n) return say("all");
    return tree.name[n] < 0 ? say("small", { count: tree.line[n] }) : data.names[tree.name[n]];
  };
  const placeOf = (n) => {
    const file = n && tree.name[n] >= 0 ? data.files[tree.file[n]] : "";
    if (!file) return "";
    return `${file}${tree.line[n] > 0 ? `:${tree.line[n]}` : ""}${tree.mixed[n] ? say("other-lines") : ""}`;
  };
  const pathTo = (n) => {
    const path = [];
    for (; n > 0; n = tree.parent[n]) path.push(n);
    return path.reverse();
  };
  // Tells apart the nodes of one function in the address: FNV-1a over the names on the way.
  const mark = (n) => {
    let hash = 0x811c9dc5;
    for (const ch of pathTo(n).map(nameOf).join("\n")) hash = Math.imul(hash ^ ch.codePointAt(0), 0x01000193);
    return (hash >>> 0).toString(16);
  };

  // ---- numbers -------------------------------------------------------------------------------------------------
  // Alone it prints sizes as pprof does, in a report as the report does: the same number under another name.
  const BYTES = (alone ? ["PB", "TB", "GB", "MB", "kB", "B"] : ["PiB", "TiB", "GiB", "MiB", "KiB", "B"])
    .map((name, n) => [name, 2 ** (50 - 10 * n)]);
  const TIME = [["h", 3.6e12], ["min", 6e10], ["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  const UNITS = new Map(Object.entries({ // maps, not objects: a unit is evidence, and may be called "constructor"
    bytes: [BYTES, 1], kilobytes: [BYTES, 1024], megabytes: [BYTES, 2 ** 20],
    nanoseconds: [TIME, 1], microseconds: [TIME, 1e3], milliseconds: [TIME, 1e6], seconds: [TIME, 1e9],
  }));
  function amount(value) {
    const unit = data.types[state.type].unit;
    if (!value) return "0";
    if (!UNITS.has(unit)) return value.toLocaleString("en-US") + (/^(count|samples?|unit|)$/.test(unit) ? "" : ` ${unit}`);
    const [steps, factor] = UNITS.get(unit);
    const [name, size] = steps.find((step) => Math.abs(value) * factor >= step[1]) || steps[steps.length - 1];
    return `${+((value * factor) / size).toFixed(2)}\u00a0${name}`;
  }
  const change = (value) => (value > 0 ? "+" : value < 0 ? "\u2212" : "\u00b1") + amount(Math.abs(value));
  const share = (value, total) => {
    if (!total) return "";
    const part = (100 * value) / total;
    return `${part >= 9.95 || part === 0 ? part.toFixed(0) : part.toPrecision(2)}\u00a0%`;
  };

  // ---- what is shown -------------------------------------------------------------------------------------------
  const state = { focus: 0, type: data.type, inverted: false, search: "" };
  let tree = prepare(false, state.type);
  let frames = new Map(); // node -> element, of the frames on screen, in the order of drawing
  let marked = 0, hits = new Set(), rowHeight = 20, steps = alone && history.state && history.state.steps || 0;

  // What fits: the whole name, without its path, without its package, the method alone. A closure keeps the function
  // that it stands in: "func1" says nothing.
  function fit(name, room) {
    if (name.length <= room) return name;
    const bare = name.length < 2000 ? name.replace(/\[[^\]]*\]/g, "[…]") : name;
    const paren = bare.indexOf("(");
    const cuts = [bare, bare.slice(bare.lastIndexOf("/", paren > 0 ? paren : bare.length) + 1)];
    for (const found of cuts[1].matchAll(/\.(?!(?:func|gowrap|deferwrap)?\d)(?=[^.])/g)) cuts.push(cuts[1].slice(found.index + 1));
    const whole = cuts.find((cut) => cut && cut.length <= room);
    return whole || (room >= 3 ? `${cuts[cuts.length - 1].slice(0, room - 1)}…` : "");
  }

  function colour(n) {
    if (!n) return "all";
    if (tree.name[n] < 0) return "small";
    if (!data.compared) return `${OWNERS[data.owners[tree.name[n]]]}${tree.name[n] % 2 ? " odd" : ""}`;
    const difference = tree.sides[0][n] - tree.sides[1][n];
    const step = Math.min(5, Math.ceil((5 * Math.abs(difference)) / (tree.greatest || 1)));
    return difference ? `${difference > 0 ? "grew" : "shrank"}${step}` : "same";
  }

  function badge(n) {
    if (!data.compared || !n || tree.name[n] < 0) return "";
    if (!tree.sides[1][n]) return say("new");
    return tree.sides[0][n] ? "" : say("gone");
  }

  // Frames below the focus with their place, leaving out those narrower than `least` pixels.
  function layout(pixels, least) {
    const whole = tree.width[state.focus] || 1, placed = [];
    const todo = [[state.focus, 0, 0]];
    while (todo.length) {
      const [n, left, depth] = todo.pop();
      placed.push([n, left, depth]);
      if (placed.length > MOST_FRAMES) return null;
      let at = left;
      const below = [];
      for (const child of tree.children[n]) {
        const part = tree.width[child] / whole;
        if (part * pixels >= least) below.push([child, at, depth + 1]);
        at += part;
      }
      todo.push(...below.reverse());
    }
    return placed;
  }

  function draw() {
    tree = prepare(state.inverted, state.type);
    const pixels = graph.clientWidth || 1000, whole = tree.width[state.focus] || 1;
    rowHeight = matchMedia("(max-width: 640px)").matches ? 24 : 20;
    let placed = null;
    for (let least = 0.8; !placed; least *= 2) placed = layout(pixels, least);
    findHits();
    const fragment = document.createDocumentFragment();
    frames = new Map();
    let deepest = 0;
    for (const [n, left, depth] of placed) {
      const element = document.createElement("div");
      const part = Math.min(1, tree.width[n] / whole), wide = part * pixels;
      element.className = `f ${colour(n)}${hits.has(n) ? " hit" : ""}${wide < 12 ? " thin" : ""}`;
      element.id = `${prefix}f${n}`;
      element.setAttribute("role", "treeitem");
      element.setAttribute("aria-level", depth + 1);
      element.style.left = `${100 * left}%`;
      element.style.width = `${100 * part}%`;
      element.style.top = `${depth * rowHeight}px`;
      const word = wide > 90 ? badge(n) : "";
      if (word) {
        const box = document.createElement("b");
        box.textContent = word;
        element.append(box);
      }
      if (wide >= 24) label(element, n, Math.floor((wide - 9 - (word ? 40 : 0)) / 6.6));
      if (!element.textContent) element.setAttribute("aria-label", nameOf(n)); // there is no room for its name
      frames.set(n, element);
      fragment.append(element);
      deepest = Math.max(deepest, depth);
    }
    graph.replaceChildren(fragment);
    graph.style.height = `${(deepest + 1) * rowHeight}px`;
    graph.classList.toggle("searching", state.search !== "");
    graph.classList.toggle("plain", !data.compared);
    tip.hidden = true;
    drawHead();
    marked = frames.has(marked) ? marked : state.focus;
    frames.get(marked).classList.toggle("marked", marked !== state.focus);
  }

  // The name as far as it fits, and its value when there is room for it too.
  function label(element, n, room) {
    const name = fit(nameOf(n), room);
    const value = data.compared ? change(tree.sides[0][n] - tree.sides[1][n]) : amount(tree.sides[0][n]);
    element.append(name);
    if (!name || value === "\u00b10" || room < name.length + value.length + 3) return;
    const figure = document.createElement("span");
    figure.textContent = value;
    element.append(figure);
  }

  function drawHead() {
    const type = data.types[state.type], now = tree.sides[0][0];
    $("total").textContent = data.compared
      ? say("compared", { type: type.type, now: amount(now), before: amount(tree.sides[1][0]), change: change(now - tree.sides[1][0]) })
      : `${type.type}: ${amount(now)}`;
    $("type").value = String(state.type);
    $("invert").setAttribute("aria-pressed", String(state.inverted));
    $("back").disabled = !steps && !state.focus;
    drawCrumbs();
    drawMatches();
  }

  function drawCrumbs() {
    const path = state.focus ? [0, ...pathTo(state.focus)] : [];
    const shown = path.length > 8 ? [path[0], path[1], -1, ...path.slice(-5)] : path;
    $("crumbs").replaceChildren(...shown.flatMap((n, i) => {
      const step = document.createElement(n < 0 ? "span" : "button");
      step.textContent = n < 0 ? `… ${path.length - 7} …` : fit(nameOf(n), 60);
      if (n >= 0) {
        step.title = nameOf(n);
        step.addEventListener("click", () => zoom(n));
      }
      if (n === state.focus) step.setAttribute("aria-current", "true");
      const gap = document.createElement("span");
      gap.textContent = "›";
      return i ? [gap, step] : [step];
    }));
  }

  // ---- search --------------------------------------------------------------------------------------------------
  let literal = false;
  function matcher(text) {
    const flags = text === text.toLowerCase() ? "iu" : "u";
    literal = false;
    try {
      return new RegExp(text, flags);
    } catch {
      literal = true;
      return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), flags);
    }
  }

  function findHits() {
    hits = new Set();
    if (!state.search) return;
    const wanted = matcher(state.search);
    const named = data.names.map((name) => wanted.test(name));
    for (let n = 1; n < tree.count; n++) if (tree.name[n] >= 0 && named[tree.name[n]]) hits.add(n);
  }

  function drawMatches() {
    if (!state.search) {
      $("matches").textContent = "";
      return;
    }
    // Only the topmost match of each stack counts, or recursion would be counted twice.
    const sums = tree.sides.map(() => 0);
    let found = 0, unseen = 0;
    const todo = [state.focus];
    while (todo.length) {
      const n = todo.pop();
      if (hits.has(n)) {
        found++;
        tree.sides.forEach((side, s) => { sums[s] += side[n]; });
      } else if (n && tree.name[n] < 0) unseen += tree.sides[0][n];
      else todo.push(...tree.children[n]);
    }
    const total = tree.sides[0][state.focus];
    const how = (literal ? say("literal") : "") +
      (unseen > total / 200 ? say("unseen", { share: share(unseen, total) }) : "");
    const told = hits.size === 1 ? say("match") : say("matches", { count: hits.size.toLocaleString("en-US") });
    const of = say("of", { sum: amount(sums[0]), total: amount(total), share: share(sums[0], total) });
    const delta = data.compared ? say("since", { change: change(sums[0] - sums[1]) }) : "";
    $("matches").textContent = found ? told + of + delta + how : say("nothing") + how;
  }

  function nextHit(step) {
    const shown = [...frames.keys()].filter((n) => hits.has(n));
    if (!shown.length) return;
    const at = shown.indexOf(marked);
    select(shown[(at + step + shown.length + (at < 0 && step < 0 ? 1 : 0)) % shown.length], true);
  }

  // ---- one frame -----------------------------------------------------------------------------------------------
  function describe(n) {
    const title = document.createElement("strong"), place = document.createElement("em");
    title.textContent = nameOf(n) + (badge(n) ? ` (${badge(n)})` : "");
    const owner = n && tree.name[n] >= 0 ? say(OWNERS[data.owners[tree.name[n]]]) : "";
    place.textContent = n && tree.name[n] < 0
      ? say("small-about")
      : [placeOf(n), owner].filter(Boolean).join("  ·  ");
    const table = document.createElement("table");
    const line = (words, tag) => {
      const row = document.createElement("tr");
      words.forEach((word, i) => {
        const cell = document.createElement(i && tag !== "head" ? "td" : "th");
        cell.textContent = word;
        row.append(cell);
      });
      return row;
    };
    const total = tree.sides[0][0];
    if (data.compared) {
      const head = document.createElement("thead");
      head.append(line(["", say("now"), say("before"), say("change")], "head"));
      table.append(head);
    }
    for (const [word, values] of [[say("cum"), tree.sides], [say("flat"), tree.flat]]) {
      const now = values[0][n];
      table.append(line(data.compared
        ? [word, amount(now), amount(values[1][n]), change(now - values[1][n])]
        : [word, amount(now), share(now, total)]));
    }
    if (!data.compared && state.focus) {
      table.append(line([say("of-zoomed"), amount(tree.sides[0][n]), share(tree.sides[0][n], tree.sides[0][state.focus])]));
    }
    return [title, place, table];
  }

  function show(n, x, y) {
    tip.replaceChildren(...describe(n));
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(8, y - box.height - 12) : y + 18}px`;
  }

  // Mark a frame; `loud` also brings it into view and tells about it.
  function select(n, loud) {
    frames.get(marked)?.classList.remove("marked");
    marked = n;
    const element = frames.get(n);
    if (!element) return;
    element.classList.add("marked");
    element.setAttribute("aria-label", `${nameOf(n)}, ${amount(tree.sides[0][n])}`);
    graph.setAttribute("aria-activedescendant", element.id);
    if (!loud) return;
    const under = root.querySelector(".flame-bar").getBoundingClientRect().bottom;
    const box = element.getBoundingClientRect();
    if (box.top < under || box.bottom > innerHeight) scrollBy(0, box.top - innerHeight / 2);
    show(n, 0, innerHeight); // out of the way of the frames below
  }

  function beside(step) {
    const siblings = marked ? tree.children[tree.parent[marked]].filter((n) => frames.has(n)) : [];
    const n = siblings[siblings.indexOf(marked) + step];
    if (n !== undefined) select(n, true);
  }

  // ---- moving --------------------------------------------------------------------------------------------------
  function address() {
    const words = [];
    const add = (key, value) => value && words.push(`${key}=${encodeURIComponent(value)}`);
    add("focus", state.focus ? nameOf(state.focus) : "");
    add("at", state.focus ? mark(state.focus) : "");
    add("search", state.search);
    add("invert", state.inverted ? "1" : "");
    add("type", state.type !== data.type ? data.types[state.type].type : "");
    add("theme", document.documentElement.dataset.theme || "");
    return `#${words.join("&")}`;
  }

  function remember(step) {
    if (!alone) return;
    steps = Math.max(0, steps + step);
    try {
      history[step ? "pushState" : "replaceState"]({ steps }, "", address());
    } catch {
      // A browser may refuse this for file:// pages; only the address then stays as it was.
    }
  }

  function zoom(n) {
    if (n === state.focus || tree.name[n] < 0 && n) return;
    state.focus = marked = n;
    remember(1);
    draw();
  }

  function back() {
    if (steps) history.back();
    else if (state.focus) zoom(alone ? 0 : tree.parent[state.focus]);
  }

  function invert() {
    state.inverted = !state.inverted;
    state.focus = marked = 0;
    remember(1);
    draw();
  }

  // The view that the address asks for. `focus` alone means the widest frame of that function.
  function open() {
    const view = alone ? asked() : new URLSearchParams();
    if (alone) paint(view.get("theme"));
    const type = data.types.findIndex((t) => t.type === view.get("type"));
    state.type = type < 0 ? data.type : type;
    state.inverted = view.get("invert") === "1";
    state.search = search.value = view.get("search") || "";
    tree = prepare(state.inverted, state.type);
    state.focus = 0;
    const name = view.get("focus");
    for (let n = 1; name && n < tree.count; n++) {
      if (tree.name[n] < 0 || nameOf(n) !== name) continue;
      if (view.get("at") === mark(n)) {
        state.focus = n;
        break;
      }
      if (!state.focus || tree.width[n] > tree.width[state.focus]) state.focus = n;
    }
    marked = state.focus;
    draw();
  }

  function toggleTheme() {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    paint(dark ? "light" : "dark");
    remember(0);
  }

  async function copy() {
    const path = state.inverted ? pathTo(marked) : pathTo(marked).reverse();
    const text = path.map((n) => (placeOf(n) ? `${nameOf(n)}\n\t${placeOf(n)}` : nameOf(n))).join("\n");
    let said = say("copied", { count: path.length });
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      if (!document.execCommand("copy")) said = say("copy-failed");
      area.remove();
    }
    $("matches").textContent = said;
  }

  // ---- hands ---------------------------------------------------------------------------------------------------
  const frameAt = (event) => {
    const element = event.target.closest(".f");
    return element ? Number(element.id.slice(prefix.length + 1)) : -1;
  };
  graph.addEventListener("pointermove", (event) => {
    const n = frameAt(event);
    if (n < 0 || event.pointerType === "touch") return;
    if (n !== marked) select(n, false);
    show(n, event.clientX, event.clientY);
  });
  graph.addEventListener("pointerleave", () => { tip.hidden = true; });
  graph.addEventListener("click", (event) => {
    const n = frameAt(event);
    if (n < 0) return;
    zoom(n);
    if (event.pointerType === "touch") show(n, 0, 0);
  });
  graph.addEventListener("blur", () => { tip.hidden = true; });

  let typing = 0;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      state.search = search.value;
      remember(0);
      draw();
    }, 80);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.stopPropagation();
    event.preventDefault();
    if (event.key === "Escape") search.value = "";
    clearTimeout(typing);
    state.search = search.value;
    remember(0);
    draw();
    search.blur();
    if (event.key === "Enter") nextHit(1);
  });

  const KEYS = {
    "/": () => { search.focus(); search.select(); },
    j: () => { const below = tree.children[marked].find((n) => frames.has(n)); if (below) select(below, true); },
    k: () => { if (frames.has(tree.parent[marked])) select(tree.parent[marked], true); },
    l: () => beside(1), h: () => beside(-1), n: () => nextHit(1), N: () => nextHit(-1),
    Enter: () => { zoom(marked); select(marked, true); },
    b: back, Backspace: back,
    Escape: () => {
      if (!tip.hidden) tip.hidden = true;
      else if (alone || state.focus) back();
      else document.activeElement.blur(); // the keys are the page's again
    },
    0: () => zoom(0), i: invert, c: copy,
  };
  if (alone) Object.assign(KEYS, { t: toggleTheme, "?": () => keys.showModal() });
  Object.assign(KEYS, { ArrowDown: KEYS.j, ArrowUp: KEYS.k, ArrowRight: KEYS.l, ArrowLeft: KEYS.h });
  (alone ? document : root).addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.target.closest("input, select") || (event.key === "Enter" && event.target.closest("button"))) return;
    const act = Object.hasOwn(KEYS, event.key) && KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  for (const element of root.querySelectorAll("[data-say]")) {
    for (const [what, key] of element.dataset.say.split(" ").map((pair) => pair.split(":"))) {
      if (what === "text") element.textContent = say(key);
      else element.setAttribute(what, say(key));
    }
  }
  data.types.forEach((type, i) => $("type").append(new Option(`${type.type} (${type.unit})`, String(i))));
  $("type").hidden = data.types.length < 2;
  $("type").addEventListener("change", (event) => {
    state.type = Number(event.target.value);
    remember(0);
    draw();
    event.target.blur();
  });
  // A click leaves the focus on its button, where Enter would press it again.
  $("tools").addEventListener("click", (event) => { if (event.detail && event.target.closest("button")) event.target.blur(); });
  $("back").addEventListener("click", back);
  $("invert").addEventListener("click", invert);
  if (alone) {
    $("theme").addEventListener("click", toggleTheme);
    $("help").addEventListener("click", () => keys.showModal());
    addEventListener("popstate", (event) => {
      steps = (event.state && event.state.steps) || 0;
      open();
    });
  }

  const swatch = (words, ...classes) => {
    const item = document.createElement("li");
    item.append(...classes.map((name) => Object.assign(document.createElement("i"), { className: name })), words);
    return item;
  };
  $("legend").append(...(data.compared
    ? [swatch(say("shrank"), "shrank5", "shrank3", "shrank1"), swatch(say("same"), "same"),
      swatch(say("grew"), "grew1", "grew3", "grew5"), swatch(say("how"))]
    : Object.values(OWNERS).filter((owner) => data.owners.includes(owner[0])).map((owner) => swatch(say(owner), owner))));

  let width = 0;
  new ResizeObserver(() => {
    if (graph.clientWidth !== width) {
      width = graph.clientWidth;
      draw();
    }
  }).observe(graph);
  width = graph.clientWidth;
  open();
};

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".flame").forEach(drawFlame));
