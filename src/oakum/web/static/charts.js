// Charts of one service: asks the JSON API, draws with uPlot, zooms by dragging or with the buttons. Names come from
// evidence: they are only ever set as text.
"use strict";
(() => {
  const root = document.getElementById("charts");
  if (!root || typeof uPlot === "undefined") return;
  const said = root.dataset;
  const whole = [Number(said.from), Number(said.to)];
  const MOST_LINES = 8;
  const MARKS = {
    "deploy": "D", "config": "C", "restart": "R", "oom-kill": "OOM", "incident-opened": "!", "incident-flapping": "!",
    "incident-resolved": "✓", "target-lost": "?", "load": "L",
  };
  let range = whole.slice();
  let asked = 0;
  const drawn = new Map();

  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = at => css(`--series${at % 9}`);
  const count = value => Math.round(value).toLocaleString("en"); // half a goroutine is none
  const bytes = value => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let at = 0;
    while (Math.abs(value) >= 1023.95 && at < units.length - 1) { value /= 1024; at += 1; }
    return `${at && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
  };
  const worded = {count, bytes, rate: value => `${value >= 10 ? Math.round(value).toLocaleString("en") : value.toFixed(2)}/s`};

  const two = value => String(value).padStart(2, "0");
  const clock = (_, ticks, __, ___, step) => ticks.map((tick, at) => {
    const when = new Date(tick), day = `${two(when.getUTCMonth() + 1)}-${two(when.getUTCDate())}`;
    if (step >= 86_400_000) return day;
    const hour = `${two(when.getUTCHours())}:${two(when.getUTCMinutes())}${step < 60_000 ? `:${two(when.getUTCSeconds())}` : ""}`;
    return at === 0 || (when.getUTCHours() === 0 && when.getUTCMinutes() === 0) ? `${hour}\n${day}` : hour;
  });
  // Bytes are read in powers of two: 64 MiB, not 61.0.
  const DOUBLINGS = Array.from({length: 45}, (_, at) => 2 ** at);
  const WHOLE = Array.from({length: 10}, (_, at) => [1, 2, 5].map(one => one * 10 ** at)).flat();
  const STEPS = {bytes: DOUBLINGS, count: WHOLE};

  // goroutines and heap: what lies on top of what; memory and load: lines.
  function stacked(found) {
    const parts = found.places.map(one => ({name: one.function, more: [one.state, one.file && `${one.file}:${one.line}`].filter(Boolean).join(" · "), values: one.values}));
    if (found.rest.some(value => value)) parts.push({name: said.rest, more: "", values: found.rest, rest: true});
    const heights = found.times.map(() => 0);
    const lines = parts.map((part, at) => {
      const values = part.values.map((value, i) => heights[i] += value || 0);
      return {...part, shown: values, colour: part.rest ? css("--twin") : colour(at), fill: true};
    });
    // The highest first: each covers what is above the next.
    return {times: found.times, lines: lines.reverse()};
  }

  function memory(found) {
    const newest = one => [...one.rss].reverse().find(value => value !== null) || 0;
    const replicas = [...found.replicas].sort((a, b) => newest(b) - newest(a)).slice(0, MOST_LINES);
    const lines = replicas.map((one, at) => ({name: one.replica || one.run, more: "RSS", values: one.rss, shown: one.rss, colour: colour(at)}));
    const limits = found.times.map((_, i) => Math.min(...found.replicas.map(one => one.limit_bytes[i]).filter(value => value)));
    if (limits.some(Number.isFinite)) {
      const values = limits.map(value => Number.isFinite(value) ? value : null);
      lines.push({name: said.limit, more: "", values, shown: values, colour: css("--bad"), dash: [6, 4]});
    }
    return {times: found.times, lines: lines.filter(line => line.values.some(value => value !== null))};
  }

  function load(found) {
    const all = {name: said.all, more: "", values: found.total.work_per_second, shown: found.total.work_per_second, colour: colour(0)};
    const lines = found.replicas.length > 1 ? found.replicas.slice(0, MOST_LINES - 1).map((one, at) => ({
      name: one.replica || one.run, more: "", values: one.work_per_second, shown: one.work_per_second, colour: colour(at + 1),
    })) : [];
    return {times: found.times, lines: [all, ...lines].filter(line => line.values.some(value => value !== null))};
  }

  const SOURCES = {
    goroutines: ["places", "kind=goroutines", stacked], heap: ["places", "kind=heap", stacked],
    memory: ["series", "", memory], load: ["series", "", load],
  };

  async function ask(path, query) {
    const answer = await fetch(`${said.base}/${path}?from=${Math.round(range[0])}&to=${Math.round(range[1])}&${query}`, {headers: {Accept: "application/json"}});
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  }

  function marks(events) {
    return u => {
      const {ctx} = u;
      ctx.save();
      ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
      ctx.textAlign = "center";
      let last = -Infinity;
      for (const event of events) {
        const x = Math.round(u.valToPos(event.at, "x", true));
        if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
        ctx.strokeStyle = ctx.fillStyle = ["OOM", "!"].includes(event.mark) ? css("--bad") : css("--quiet");
        ctx.lineWidth = devicePixelRatio;
        ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
        ctx.beginPath();
        ctx.moveTo(x, u.bbox.top);
        ctx.lineTo(x, u.bbox.top + u.bbox.height);
        ctx.stroke();
        if (x - last > 16 * devicePixelRatio) {
          ctx.fillText(event.mark, x, u.bbox.top - 4 * devicePixelRatio);
          last = x;
        }
      }
      ctx.restore();
    };
  }

  function draw(figure, data, events) {
    const place = figure.querySelector(".plot-place");
    const list = figure.querySelector(".legend-list");
    const show = worded[figure.dataset.unit];
    drawn.get(figure)?.destroy();
    drawn.delete(figure);
    place.textContent = "";
    list.textContent = "";
    if (!data.times.length || !data.lines.length) {
      place.textContent = said.none;
      figure.classList.add("nothing");
      return;
    }
    figure.classList.remove("nothing");
    const values = data.lines.map(line => {
      const item = document.createElement("li");
      const swatch = document.createElement("span");
      swatch.className = "swatch";
      swatch.style.background = line.colour;
      const name = document.createElement("span");
      name.className = "name";
      name.textContent = line.name;
      name.title = [line.name, line.more].filter(Boolean).join("\n");
      const value = document.createElement("b");
      const more = document.createElement("small");
      more.textContent = line.more;
      item.append(swatch, name, value, more);
      list.prepend(item); // the one at the bottom of the stack is the largest
      return value;
    });
    if (!data.lines.some(line => line.fill)) list.append(...[...list.children].reverse());
    const told = at => data.lines.forEach((line, i) => {
      let shown = line.values[at];
      for (let i = at; shown == null && i >= 0 && at === line.values.length - 1; i -= 1) shown = line.values[i];
      values[i].textContent = shown == null ? "–" : show(shown);
    });
    told(data.times.length - 1);
    const text = {stroke: css("--quiet"), grid: {stroke: css("--rule"), width: 1}, ticks: {stroke: css("--rule"), width: 1}, font: "12px system-ui, sans-serif"};
    const options = {
      width: place.clientWidth, height: innerWidth < 700 ? 190 : 230, ms: 1, tzDate: at => uPlot.tzDate(new Date(at), "Etc/UTC"),
      padding: [18, 12, 0, 0], legend: {show: false}, scales: {x: {time: true, range: () => range}, y: {range: (_, low, high) => [0, high > 0 ? high * 1.06 : 1]}},
      cursor: {sync: {key: "service"}, drag: {x: true, y: false}, points: {show: false}},
      axes: [{...text, values: clock, space: 64}, {...text, size: 74, incrs: STEPS[figure.dataset.unit], values: (_, ticks) => ticks.map(show)}],
      series: [{}, ...data.lines.map(line => ({stroke: line.colour, width: line.fill ? 1 : 1.8, fill: line.fill ? line.colour : undefined, dash: line.dash, points: {show: data.times.length < 3}, spanGaps: false}))],
      hooks: {
        draw: [marks(events)],
        setCursor: [u => told(u.cursor.idx == null ? data.times.length - 1 : u.cursor.idx)],
        setSelect: [u => {
          if (u.select.width < 6) return;
          const begin = u.posToVal(u.select.left, "x");
          zoom(begin, u.posToVal(u.select.left + u.select.width, "x"));
        }],
      },
    };
    drawn.set(figure, new uPlot(options, [data.times, ...data.lines.map(line => line.shown)], place));
  }

  async function update() {
    const mine = asked += 1;
    root.setAttribute("aria-busy", "true");
    let events = [];
    const memo = new Map();
    const once = (path, query) => {
      const key = `${path}?${query}`;
      if (!memo.has(key)) memo.set(key, ask(path, query));
      return memo.get(key);
    };
    try {
      const found = await ask("events", "");
      events = found.items.filter(one => MARKS[one.kind]).map(one => ({at: Date.parse(one.time), mark: MARKS[one.kind]}));
    } catch {
      // Without marks then.
    }
    for (const figure of root.querySelectorAll("[data-chart]")) {
      const [path, query, make] = SOURCES[figure.dataset.chart];
      try {
        const data = make(await once(path, query));
        if (mine !== asked) return;
        draw(figure, data, events);
      } catch {
        if (mine !== asked) return;
        drawn.get(figure)?.destroy();
        drawn.delete(figure);
        figure.querySelector(".plot-place").textContent = said.failed;
      }
    }
    root.removeAttribute("aria-busy");
    document.getElementById("window-text").textContent = range.map(at => new Date(at).toISOString().slice(0, 16).replace("T", " ")).join(" – ");
  }

  function zoom(begin, end) {
    if (end - begin < 10_000) return; // ten seconds: nothing is looked at more often
    range = [begin, end];
    const address = new URL(location.href);
    address.searchParams.set("from", String(Math.round(begin)));
    address.searchParams.set("to", String(Math.round(end)));
    history.replaceState(null, "", address);
    update();
  }

  const by = (id, change) => document.getElementById(id)?.addEventListener("click", () => {
    const [begin, end] = range, length = end - begin;
    zoom(...change(begin, end, length));
  });
  by("zoom-in", (begin, end, length) => [begin + length / 4, end - length / 4]);
  by("zoom-out", (begin, end, length) => [begin - length / 2, Math.min(end + length / 2, Math.max(whole[1], end))]);
  by("zoom-left", (begin, end, length) => [begin - length / 2, end - length / 2]);
  by("zoom-right", (begin, end, length) => [begin + length / 2, end + length / 2]);
  by("zoom-reset", () => whole);
  let width = root.clientWidth;
  new ResizeObserver(() => {
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    for (const [figure, plot] of drawn) plot.setSize({width: figure.querySelector(".plot-place").clientWidth, height: plot.height});
  }).observe(root);
  root.update = (begin, end) => { range = [begin, end]; whole[1] = Math.max(whole[1], end); return update(); };
  update();
})();
