// Files of what is in view: the map in the form of this package and of others, and the picture.
import { $, element, toast } from "/dom.js";
import { now, view } from "/stage.js";
import * as server from "/server.js";

function hand(blob, name) {
  const file = URL.createObjectURL(blob);
  element("a", { href: file, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(file), 60000);
}

for (const [id, path, type] of [["save", "/map", "worldmap"], ["save-ply", "/map.ply", "ply"], ["save-glb", "/map.glb", "glb"]]) {
  $(id).onclick = async () => {
    try {
      hand(await server.bytes(path), `${now.state.service}.${type}`);
    } catch (error) {
      toast(error.message);
    }
  };
}

// The picture as it is, in the pixels of the screen; the labels are not in it.
$("shoot").onclick = () => {
  if (!view.isAvailable) return toast("there is no picture");
  view.canvas.toBlob((blob) => hand(blob, `${now.state?.service ?? "sharedworld"}.png`));
};
