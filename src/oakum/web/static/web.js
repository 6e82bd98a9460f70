// What pages do with a script: nothing that they could not do without one.
"use strict";
