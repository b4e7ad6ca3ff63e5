// How the picture is drawn: which way is up, how points are coloured and how large they are.
import { $, element, post, toast } from "/dom.js";
import { now, view } from "/stage.js";
import { load } from "/points.js";
import { showPlaces } from "/anchors.js";

export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

// ---- Which way is up

export function showTurn(map) {
  view.turn(map.up);
  showCeiling();
}

// The server remembers it with the map, and tells every page.
for (const [id, isForward] of [["tip", true], ["roll", false]]) {
  $(id).onclick = () => {
    if (!now.state?.map) return toast("this room is an example; there is no map to turn yet");
    post("/up", { axis: view.upright.tipped(isForward) });
  };
}

// ---- Colours

const NUMBER = "number:";

// Offers the colours that the points of a map can have.
export function showColors(map) {
  const list = $("tints");
  list.querySelector("[value=own]").disabled = !view.hasColors;
  list.querySelectorAll(`[value^="${NUMBER}"]`).forEach((one) => one.remove());
  list.append(...map.numbers.map((name) => element("option", { value: NUMBER + name, textContent: `by ${name}` })));
  if (!list.value || !view.hasColors && list.value === "own") list.value = "height";
  else if (view.hasColors && !now.hasChosenTints) list.value = "own";
  showTints();
}

async function showTints() {
  const chosen = $("tints").value;
  if (chosen.startsWith(NUMBER)) return showNumbers(chosen.slice(NUMBER.length), now.state.map);
  view.tints = chosen;
  showLegend(chosen === "height" ? { low: 0, high: view.high[1] - view.low[1], name: "height (m)" } : null);
  redraw();
}

// Colours the points by a channel, which comes when it is first asked for.
async function showNumbers(name, map) {
  let found = null;
  try {
    await load("/numbers", map.id, (head, channels) => {
      if (!(name in channels) || now.shown !== map.id) return;
      if (!found) view.beginNumbers();
      found = head.channels.find((one) => one.name === name);
      view.addNumbers(channels[name]);
    }, (bytes, total) => { $("legend-name").textContent = `${megabytes(bytes)} of ${megabytes(total)}`; });
  } catch (error) {
    console.warn(error);
    return toast("the numbers did not arrive");
  }
  if (!found) return toast(`no point of this map has a ${name}`);
  if ($("tints").value !== NUMBER + name) return;
  Object.assign(view, { tints: "number", isDirection: found.components === 3 });
  showLegend(found.low === null ? null : found);
  redraw();
}

// The scale of the colours; none where they are no scale.
function showLegend(scale) {
  $("legend").hidden = scale === null;
  if (!scale) return;
  const digits = scale.high - scale.low < 10 ? 2 : 0;
  $("legend-name").textContent = scale.name;
  $("legend-low").textContent = scale.low.toFixed(digits);
  $("legend-high").textContent = scale.high.toFixed(digits);
}

function redraw() {
  if (now.state) showPlaces();
  view.redraw();
}

$("tints").onchange = () => { now.hasChosenTints = true; showTints(); };

// ---- What is cut away, and how points look

export function showCeiling() {
  view.ceiling = Number($("ceiling").value);
  $("ceiling-text").textContent = `${(view.ceiling * (view.high[1] - view.low[1])).toFixed(1)} m`;
  view.redraw();
}

$("open").onchange = () => { view.isOpen = $("open").checked; view.redraw(); };
$("relief").onchange = () => { view.hasRelief = $("relief").checked; view.redraw(); };
$("size").oninput = () => { view.pointSize = Number($("size").value); view.redraw(); };
$("ceiling").oninput = showCeiling;
$("fit").onclick = () => view.fit();
$("top").onclick = () => view.fit(0, 1.55);
