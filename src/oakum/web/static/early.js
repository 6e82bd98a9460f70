// Before the first paint: that scripts run at all.
"use strict";
document.documentElement.dataset.script = "on";
