// No press hits a control that came under the pointer a moment ago: peers, invitations and anchors come and go while a finger
// is on its way, and Remove or Accept must not be where something else was.
import { toast } from "/dom.js";

// For so long (milliseconds) a control that moved under a pointer at rest takes no press.
const PAUSE = 500;
const CONTROLS = "button, summary, select, input, #anchors li";

let pointer = null; // where it was last (CSS pixels)
let under = ""; // the control there
let since = -Infinity; // when that took the place of another one by itself

function look(isMoved) {
  const control = document.elementFromPoint(...pointer)?.closest(CONTROLS);
  const row = control?.closest("li")?.dataset.id ?? "";
  const words = control?.matches("li") ? "" : control?.textContent ?? "";
  const found = control ? `${row} ${control.id} ${words}` : "";
  if (isMoved) since = -Infinity;
  else if (found !== under) since = performance.now();
  under = found;
}

// Call it when the page has drawn something.
export function noticeMoves() {
  if (pointer) look(false);
}

for (const kind of ["pointermove", "pointerdown"]) {
  document.addEventListener(kind, (event) => {
    const isMoved = !pointer || Math.hypot(event.clientX - pointer[0], event.clientY - pointer[1]) > 2;
    if (isMoved) pointer = [event.clientX, event.clientY];
    look(isMoved);
  }, true);
}

for (const kind of ["click", "dblclick"]) {
  document.addEventListener(kind, (event) => {
    // A key clicks, too, and has no place.
    if (event.detail === 0 || !under || event.timeStamp - since > PAUSE) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    toast("Something else is under the pointer now; press again if you mean it.");
  }, true);
}

// What a click itself has moved counts, too.
document.addEventListener("click", () => requestAnimationFrame(noticeMoves));
