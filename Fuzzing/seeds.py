#!/usr/bin/env python3
"""Writes the blocks of the golden maps as first inputs of fuzz-points and fuzz-anchors, to Corpus/."""
import pathlib
import sys

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent / "Tests" / "WorldModelTests"))
sys.dont_write_bytecode = True
import reader  # noqa: E402

for path in sorted((here.parent / "Fixtures" / "Maps").glob("*.worldmap")):
    found = reader.sections(path.read_bytes())
    for target, code in (("fuzz-points", b"PNTS"), ("fuzz-anchors", b"ANCH")):
        folder = here / "Corpus" / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, (count, _, _, payload) in enumerate(reader.blocks(code, found[code])[1] if code in found else []):
            claim = (count - 1).to_bytes(2, "little") if code == b"PNTS" else b""
            (folder / f"{path.stem}-{number}").write_bytes(claim + payload)
