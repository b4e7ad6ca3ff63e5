"""What a run of the LAN tests measured, printed as one table when all tests are over.

Figures that `make bench` records too are written to the file that SHAREDWORLD_ROWS names, as its program encodes rows.
"""

import atexit
import json
import os
import pathlib

_rows = []
_bench_rows = []


def note(what, value, unit, limit=None):
    """Notes a figure; `limit` is what it should stay below."""
    _rows.append((what, f"{value:.2f} {unit}", f"{limit} {unit}" if limit is not None else ""))


def series(what, values, unit, limit=None):
    """Notes the median and the maximum of several runs."""
    middle, most = percentile(values, 50), max(values)
    measured = f"{middle:.2f} {unit}, at most {most:.2f} {unit}, {len(values)} runs"
    _rows.append((what, measured, f"{limit} {unit}" if limit is not None else ""))


def bench(name, value, unit, baseline, baseline_value, ratio):
    """Notes a row of the page of `make bench`."""
    _bench_rows.append({
        "name": name, "value": value, "unit": unit, "baseline": baseline, "baselineValue": baseline_value, "ratio": ratio})


def table(rows):
    """Lines of three columns: what, how much, at most how much is wanted."""
    rows = [("", "measured", "wanted"), *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [f"  {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}".rstrip() for row in rows]


def percentile(values, percent):
    """The value that so many percent of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


@atexit.register
def _print():
    if _rows:
        print("\n".join(table(_rows)), flush=True)
    if path := os.environ.get("SHAREDWORLD_ROWS"):
        pathlib.Path(path).write_text(json.dumps(_bench_rows))
