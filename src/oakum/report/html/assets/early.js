// Before the first paint: which theme was chosen last, so that none flashes; and that scripts run at all.
"use strict";
(() => {
  const root = document.documentElement;
  root.dataset.script = "on";
  try {
    const theme = localStorage.getItem("oakum-theme");
    if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  } catch {
    // Where a browser stores nothing for files, the system's theme is taken.
  }
})();
