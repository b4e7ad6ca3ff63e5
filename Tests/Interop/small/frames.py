"""The table of frames of PROTOCOL.md, in the form for programs: Fixtures/Wire/frames.json."""

import json
import pathlib
from enum import IntEnum

_ROWS = json.loads((pathlib.Path(__file__).resolve().parents[3] / "Fixtures/Wire/frames.json").read_text("utf-8"))

#: The numbers of the frames, by the words of their names: Frame.CHUNK_PIECE.
Frame = IntEnum("Frame", {row["name"].upper().replace(" ", "_"): row["number"] for row in _ROWS})
#: The largest body of each (bytes).
LARGEST = {row["number"]: row["limit"] for row in _ROWS}


def legal(state: str) -> set[int]:
    """The frames that a link in this state allows."""
    return {row["number"] for row in _ROWS if state in row["links"]}
