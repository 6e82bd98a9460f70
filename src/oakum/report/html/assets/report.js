// Comfort for a page that can be read without it: search, keys, sorting, copying, theme, folds that links open.
// Text of evidence is only ever read from the page and compared or copied, never made into markup.
"use strict";

(() => {
  const root = document.documentElement;
  const $ = (id) => document.getElementById(id);
  const all = (selector, below = document) => [...below.querySelectorAll(selector)];
  const words = JSON.parse($("o-words").textContent);
  const search = $("o-search"), keys = $("o-keys"), verdict = $("o-verdict");
  const parts = [verdict, ...all("section.part.level2, section.part.level3")].filter(Boolean);

  // ---- theme ---------------------------------------------------------------------------------------------------
  function toggleTheme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("oakum-theme", root.dataset.theme);
    } catch {
      // Then it lasts as long as the page is open.
    }
  }

  // ---- folds and places ----------------------------------------------------------------------------------------
  function unfold(element) {
    for (let up = element; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
  }

  // The current part: the one that was gone to, or, once the page was scrolled by hand, the one that is read.
  let current = 0, scrolled = 0;
  function moveTo(at, scroll = true) {
    if (!parts.length) return;
    parts[current].classList.remove("current");
    current = Math.max(0, Math.min(at, parts.length - 1));
    const part = parts[current];
    part.classList.toggle("current", current > 0);
    for (const item of all(".contents li.current")) item.classList.remove("current");
    for (const link of all(".contents a")) if (link.hash === `#${part.id}`) link.parentElement.classList.add("current");
    if (scroll) {
      part.focus({ preventScroll: true });
      if (current) part.scrollIntoView({ block: "start" });
      else scrollTo(0, 0);
    }
    scrolled = scrollY;
  }

  let looking = false;
  addEventListener("scroll", () => {
    if (looking) return;
    looking = true;
    requestAnimationFrame(() => {
      looking = false;
      if (Math.abs(scrollY - scrolled) < 4) return;
      const reading = 100; // just below the bar: folded parts are a line each, and several would fit higher up
      moveTo(Math.max(0, parts.findLastIndex((part) => part.getClientRects().length && part.getBoundingClientRect().top < reading)), false);
    });
  }, { passive: true });

  function step(by) {
    let at = current + by;
    while (parts[at] && parts[at].closest(".miss")) at += by;
    if (parts[at]) moveTo(at);
  }

  // What the address asks for, unfolded and in view.
  function visit() {
    let id = "";
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {
      return; // no id of ours has a broken escape
    }
    const target = id && $(id);
    if (!target) return;
    if (target.closest(".miss")) clear();
    unfold(target);
    unfold(target.querySelector(":scope > details.folded"));
    const at = parts.indexOf(target.closest("section.part.level3, section.part.level2, .verdict"));
    target.scrollIntoView({ block: target.tagName === "TR" ? "center" : "start" });
    if (at >= 0) moveTo(at, false);
  }

  function toggleFolds() {
    if (!parts.length) return;
    const folds = all("details", parts[current]).filter((one) => current === 0 || one.closest("section.part.level3, section.part.level2") === parts[current]);
    const open = folds.some((one) => !one.open);
    for (const one of folds) one.open = open;
    if (parts[current].id && current) address(parts[current].id);
  }

  function address(id) {
    try {
      history.replaceState(null, "", `#${encodeURIComponent(id)}`);
    } catch {
      // A browser may refuse this for file:// pages; only the address then stays as it was.
    }
  }

  // ---- search --------------------------------------------------------------------------------------------------
  // Rows of tables and parts without a match are put away; matches are marked and walked through with n and N.
  const UNITS = "tbody tr, .claims > li, .code .line, .code .note, .diff pre > span, .command, .places li, .box, .excerpt, " +
    ".fold > summary, h2, h3, h4, p, .legend li, figcaption, .verdict h1, .about li, dt";
  let units = null, hits = [], at = -1;

  function collect() {
    const found = all(UNITS, $("o-main"));
    const taken = new Set(found);
    const nested = (one) => {
      for (let up = one.parentElement; up; up = up.parentElement) if (taken.has(up)) return true;
      return false;
    };
    return found.filter((one) => !one.closest(".flame, noscript") && !nested(one))
      .map((element) => ({ element, text: element.textContent, lower: element.textContent.toLowerCase() }));
  }

  function find(text) {
    units ||= collect();
    const exact = text !== text.toLowerCase();
    for (const unit of hits) unit.element.classList.remove("hit", "at");
    hits = text ? units.filter((unit) => (exact ? unit.text : unit.lower).includes(text)) : [];
    at = -1;
    const counted = new Map();
    for (const unit of hits) {
      unit.element.classList.add("hit");
      for (let up = unit.element.closest("section"); up; up = up.parentElement.closest("section")) counted.set(up, (counted.get(up) || 0) + 1);
    }
    for (const row of all("#o-main .table tbody tr")) row.classList.toggle("miss", text !== "" && hits.length > 0 && counted.has(row.closest("section")) && !row.classList.contains("hit") && !!row.closest("table").querySelector("tr.hit"));
    for (const part of parts.slice(1)) part.classList.toggle("miss", text !== "" && hits.length > 0 && !counted.has(part));
    for (const link of all(".contents a")) {
      const part = $(decodeURIComponent(link.hash.slice(1))), count = counted.get(part) || 0;
      link.parentElement.classList.toggle("no-match", text !== "" && !count);
      link.parentElement.querySelector(":scope > .hits")?.remove();
      if (!text || !count) continue;
      const told = document.createElement("span");
      told.className = "hits";
      told.textContent = String(count);
      link.after(told);
    }
    highlight(text, exact);
    tell(text);
  }

  // Only where the browser can mark letters without changing the page; the unit is marked everywhere.
  function highlight(text, exact) {
    if (!("highlights" in CSS)) return;
    const ranges = [];
    for (const unit of text ? hits : []) {
      const walker = document.createTreeWalker(unit.element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node && ranges.length < 2000; node = walker.nextNode()) {
        const value = exact ? node.data : node.data.toLowerCase();
        if (value.length !== node.data.length) continue; // a letter that grows when it is made small
        for (let from = value.indexOf(text); from >= 0; from = value.indexOf(text, from + text.length)) {
          const range = new Range();
          range.setStart(node, from);
          range.setEnd(node, from + text.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  function tell(text) {
    const said = !text ? "" : hits.length
      ? words.found.replace("{at}", String(at + 1)).replace("{count}", hits.length.toLocaleString("en-US"))
      : words["found-none"];
    $("o-found").textContent = at < 0 && hits.length ? String(hits.length.toLocaleString("en-US")) : said;
  }

  function nextHit(by) {
    if (!hits.length) return;
    if (at >= 0) hits[at].element.classList.remove("at");
    at = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    const element = hits[at].element;
    unfold(element);
    element.classList.add("at");
    element.scrollIntoView({ block: "center" });
    const part = parts.indexOf(element.closest("section.part.level3, section.part.level2, .verdict"));
    if (part >= 0) moveTo(part, false);
    tell(search.value);
  }

  function clear() {
    if (!search) return;
    const here = at >= 0 && hits[at] ? hits[at].element : null;
    search.value = "";
    find("");
    if (here) here.scrollIntoView({ block: "center" }); // what was put away is back above it
  }

  let typing = 0;
  search?.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => find(search.value.trim()), 60);
  });
  search?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    clearTimeout(typing);
    search.blur();
    if (event.key === "Escape") {
      clear();
      return;
    }
    find(search.value.trim());
    nextHit(1);
  });

  // ---- copying -------------------------------------------------------------------------------------------------
  async function copy(text) {
    let said = words.copied;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      if (!document.execCommand("copy")) said = words["copy-failed"];
      area.remove();
    }
    const note = $("o-said");
    note.textContent = said;
    note.classList.add("shown");
    setTimeout(() => note.classList.remove("shown"), 1400);
  }

  const lineTexts = (block) => all(block.classList.contains("code") ? ".line .text" : "pre > span", block)
    .map((line) => line.textContent.replace(/\n$/, "")).join("\n");
  const cellText = (cell) => cell.textContent.replace(/\s+/g, " ").trim();
  const tsv = (table) => all("tr", table).filter((row) => !row.classList.contains("miss"))
    .map((row) => [...row.cells].map(cellText).join("\t")).join("\n");

  // A part of the page as Markdown, to be pasted into an issue. Only what is there to be read; controls stay behind.
  function markdown(element, depth = 0) {
    const inner = () => [...element.childNodes].map((child) => markdown(child, depth + 1)).join("");
    const flat = () => inner().replace(/\s+/g, " ").trim();
    if (element.nodeType === Node.TEXT_NODE) return element.data.replace(/\s+/g, " ").replace(/([\\*_<>|#@])/g, "\\$1");
    if (element.nodeType !== Node.ELEMENT_NODE || element.matches("button, .anchor, .flame, .plot, .arrows, .legend, noscript, svg")) return "";
    const fence = (text, kind) => {
      let ticks = "```";
      while (text.includes(ticks)) ticks += "`";
      return `\n${ticks}${kind}\n${text}\n${ticks}\n`;
    };
    if (element.matches(".command")) return fence(lineTexts(element), "sh");
    if (element.matches(".diff")) return fence(lineTexts(element), "diff");
    if (element.matches(".code")) {
      return `\n${markdown(element.querySelector(".file"))}${fence(all(".line, .note, .gap", element).map((line) => line.matches(".line")
        ? `${line.querySelector(".number").dataset.number}\t${line.textContent.replace(/\n$/, "")}` : `\t${line.textContent.trim()}`).join("\n"), "")}`;
    }
    if (element.matches(".excerpt")) return fence(element.textContent.replace(/\n$/, ""), "");
    switch (element.tagName) {
      case "H1": case "H2": case "H3": case "H4": case "H5": case "H6": return `\n${"#".repeat(Number(element.tagName[1]))} ${flat()}\n\n`;
      case "CODE": return element.textContent.includes("`") ? `\`\` ${element.textContent} \`\`` : `\`${element.textContent}\``;
      case "STRONG": case "B": return `**${flat()}**`;
      case "A": return /^https?:/.test(element.getAttribute("href") || "") ? `[${flat()}](${element.getAttribute("href")})` : inner();
      case "BR": return " ";
      case "LI": return `- ${inner().trim().replace(/\n+/g, "\n  ")}\n`;
      case "P": case "DT": case "SUMMARY": case "FIGCAPTION": return flat() ? `${element.tagName === "DT" ? `**${flat()}**` : flat()}\n\n` : "";
      case "TABLE": {
        const rows = all("tr", element).map((row) => `| ${[...row.cells].map((cell) => markdown(cell).replace(/\s+/g, " ").trim()).join(" | ")} |`);
        const width = element.rows[0] ? element.rows[0].cells.length : 0;
        return `\n${rows[0]}\n|${" --- |".repeat(width)}\n${rows.slice(1).join("\n")}\n\n`;
      }
      case "UL": case "OL": case "DIV": case "DL": case "DD": case "FIGURE": case "DETAILS": case "SECTION": return `${inner()}\n`;
      default: return inner();
    }
  }

  function copyCurrent() {
    const focus = document.activeElement;
    const block = focus && focus.closest(".block");
    const table = focus && focus.closest(".table");
    if (block) copy(lineTexts(block));
    else if (table) copy(tsv(table.querySelector("table")));
    else if (parts.length) copy(markdown(parts[current]).replace(/[ \t]+\n/g, "\n").replace(/\n{3,}/g, "\n\n").trim());
  }

  // ---- tables --------------------------------------------------------------------------------------------------
  function sort(button) {
    const head = button.closest("th"), table = head.closest("table"), body = table.tBodies[0];
    const column = head.cellIndex, rows = [...body.rows];
    rows.forEach((row, n) => { row.dataset.place ??= String(n); });
    const now = head.getAttribute("aria-sort");
    const numeric = rows.some((row) => row.cells[column]?.dataset.sort !== undefined);
    const first = numeric ? "descending" : "ascending", second = numeric ? "ascending" : "descending";
    const next = !now ? first : now === first ? second : "";
    for (const other of all("th", table)) other.removeAttribute("aria-sort");
    if (next) head.setAttribute("aria-sort", next);
    const key = (row) => {
      const cell = row.cells[column];
      if (!cell) return numeric ? -Infinity : "";
      return numeric ? Number(cell.dataset.sort ?? -Infinity) : cellText(cell);
    };
    const keyed = rows.map((row) => [key(row), Number(row.dataset.place), row]);
    const compare = new Intl.Collator(root.lang, { numeric: true }).compare;
    keyed.sort((a, b) => (next ? (next === "ascending" ? 1 : -1) * (numeric ? (a[0] > b[0]) - (a[0] < b[0]) : compare(a[0], b[0])) : 0) || a[1] - b[1]);
    body.append(...keyed.map((one) => one[2]));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.matches(".sort")) sort(button);
    else if (button.matches(".copy")) copy(lineTexts(button.closest(".block")));
    else if (button.matches(".copy-table")) copy(tsv(button.closest(".table").querySelector("table")));
    else if (button.id === "o-theme") toggleTheme();
    else if (button.id === "o-help") keys.showModal();
  });

  // ---- keys ----------------------------------------------------------------------------------------------------
  const KEYS = {
    "/": () => { search?.focus(); search?.select(); },
    j: () => step(1), k: () => step(-1), n: () => nextHit(1), N: () => nextHit(-1), g: () => moveTo(0),
    Enter: toggleFolds, c: copyCurrent, t: toggleTheme, "?": () => keys.showModal(),
    Escape: clear,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea")) return;
    if (event.key === "Enter" && event.target.closest("button, a, summary")) return;
    const act = Object.hasOwn(KEYS, event.key) && KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // ---- paper ---------------------------------------------------------------------------------------------------
  let folded = [];
  function toPaper(printing) {
    if (printing) {
      folded = folded.length ? folded : all("details:not([open])");
      for (const one of folded) one.open = true;
    } else {
      for (const one of folded) one.open = false;
      folded = [];
    }
  }
  matchMedia("print").addEventListener("change", (event) => toPaper(event.matches));
  addEventListener("beforeprint", () => toPaper(true));
  addEventListener("afterprint", () => toPaper(false));

  addEventListener("hashchange", visit);
  // A link to where the address already points scrolls there again, and unfolds what was folded since.
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute("href") === location.hash) visit();
  });
  visit();
  root.dataset.ready = "yes";
  performance.mark("oakum-ready");
})();
