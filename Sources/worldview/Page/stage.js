// What the parts of the page share: the view, the session as the server told it last, and what the user has chosen.
import { View } from "/view.js";
import { $ } from "/dom.js";

export const view = new View($("view"));

export const now = {
  state: null, // the session
  shown: null, // the id of the map whose points are drawn
  selected: null, // the id of an anchor
  isMoving: false, // the next tap moves the selected anchor
  isMeasuring: false, // the next selection measures the distance from the selected anchor
  mode: "place", // what a tap does: "look", "place", "measure" or "edit"
  ghost: null, // the place of the map under the pointer
  measured: null, // the ends of a measurement, one or two: an anchor's id or a place
  corner: null, // the name of the corner that the next tap marks
  hand: null, // the id of an anchor that is being dragged on this page, and its place
  hasChosenTints: false, // the user has chosen how points are coloured
  edited: null, // the id of the anchor whose name is being written
  followed: null, // the id of the peer whose view is shown
  keptBack: null, // the id of the map that the user does not want to send
};
