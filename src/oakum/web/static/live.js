// Snapshots as they come: a row each, and the charts drawn again. Names are only ever set as text.
"use strict";
(() => {
  const root = document.getElementById("live");
  if (!root) return;
  const said = root.dataset;
  const names = JSON.parse(said.names);
  const body = document.querySelector("#live-snapshots tbody");
  const state = document.getElementById("stream-state");
  const progress = document.getElementById("progress");
  const charts = document.getElementById("charts");
  const PAST = 15 * 60_000, MOST_ROWS = 60;
  let due = false;

  const bytes = value => {
    if (value === null) return "";
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let at = 0;
    while (value >= 1023.95 && at < units.length - 1) { value /= 1024; at += 1; }
    return `${at ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
  };

  function add(one) {
    const row = document.createElement("tr");
    const cells = [
      one.time.slice(0, 19).replace("T", " "), names[one.run] || one.run,
      one.goroutines === null ? "" : one.goroutines.toLocaleString("en"), bytes(one.heap_live), bytes(one.rss), one.detail,
    ];
    cells.forEach((text, at) => {
      const cell = document.createElement("td");
      cell.textContent = text;
      if (at > 1 && at < 5) cell.className = "right";
      row.append(cell);
    });
    row.className = "fresh";
    body.prepend(row);
    while (body.children.length > MOST_ROWS) body.lastElementChild.remove();
    const end = Date.parse(one.time);
    if (due) return;
    due = true; // several replicas come together: one drawing
    setTimeout(() => { due = false; charts.update?.(end - PAST, end + 1000); }, 1000);
  }

  const source = new EventSource(`${said.stream}?after=${said.after}`);
  source.addEventListener("open", () => { state.textContent = said.connected; });
  source.addEventListener("error", () => { state.textContent = said.lost; });
  source.addEventListener("snapshot", event => {
    add(JSON.parse(event.data));
    if (progress.textContent.trim()) progress.textContent = said.came;
  });
})();
