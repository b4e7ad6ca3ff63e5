#!/usr/bin/env python3
"""Prints the sums of executions.tsv, which run.sh writes, as the table of Benchmarks/RESULTS.md."""
import pathlib

rows = {}
for line in (pathlib.Path(__file__).parent / "executions.tsv").read_text().splitlines():
    target, sanitizer, seconds, executions, edges, peak, commit = line.split("\t")
    row = rows.setdefault((target, sanitizer), [0, 0, 0, 0, ""])
    row[:] = [row[0] + int(seconds), row[1] + int(executions), max(row[2], int(edges)), max(row[3], int(peak)), commit]
print("| target | sanitizer | seconds | executions | edges | peak memory, MB | commit |\n|---|---|---|---|---|---|---|")
for (target, sanitizer), (seconds, executions, edges, peak, commit) in sorted(rows.items()):
    print(f"| `{target}` | {sanitizer} | {seconds:,} | {executions:,} | {edges:,} | {peak} | {commit} |")
print(f"| all | | {sum(r[0] for r in rows.values()):,} | {sum(r[1] for r in rows.values()):,} | | | |")
