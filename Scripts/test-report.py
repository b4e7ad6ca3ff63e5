#!/usr/bin/env python3
"""What a run of the tests came to: what failed, each with the command that repeats it, and what took the most time.

test-report.py TARGET LOG STREAM...: TARGET is that of make (test or check), LOG what the run printed, and each STREAM what
`swift test --event-stream-output-path` wrote.
"""

import collections
import json
import os
import pathlib
import re
import sys

#: How many of the slowest tests are printed.
SLOWEST = 20


class Test:
    """A test function: when its first case started, how long until the last one ended, those that run, and what it found."""

    def __init__(self, name):
        self.name, self.seconds, self.running, self.issues = name, 0.0, 0, []
        self.start = None

    @property
    def module(self):
        """The target that it belongs to."""
        return self.name.split(".")[0]


def read(streams):
    """The tests of the streams, by their identifiers."""
    tests = {}
    # Not splitlines: the argument of a test may hold what Unicode ends a line with, and JSON need not escape it.
    for line in (line for stream in streams for line in stream.read_text(encoding="utf-8").split("\n")):
        try:
            record = json.loads(line)
        except ValueError:  # The last line of a run that crashed.
            continue
        payload = record["payload"]
        if record["kind"] == "test" and payload["kind"] == "function":
            # The identifier ends with the place in the file.
            tests.setdefault(payload["id"], Test(payload["id"].rsplit("/", 1)[0]))
        elif record["kind"] == "event" and payload.get("testID") in tests:
            note(tests[payload["testID"]], payload)
    return tests


def note(test, event):
    """Adds an event to its test."""
    time = event["instant"]["absolute"]
    # That a test has started says that it is planned: its cases wait for their turn.
    if event["kind"] == "testCaseStarted":
        test.start = time if test.start is None else test.start
        test.running += 1
    elif event["kind"] == "testCaseEnded":
        test.seconds = time - test.start
        test.running -= 1
    elif event["kind"] == "issueRecorded" and event["issue"]["isFailure"] and not event["issue"]["isKnown"]:
        test.issues.append(event)


def place(issue):
    """File, line and column of an issue, as the log has them."""
    at = issue["issue"].get("sourceLocation")
    return f"{at['fileID'].split('/')[-1]}:{at['line']}:{at['column']}" if at else ""


def seed(issue, log):
    """The seed of an issue, from its own text or from the arguments that the log has for its place; None if it has none."""
    texts = [message["text"] for message in issue["messages"]]
    texts += [line for line in log if place(issue) and f" at {place(issue)}:" in line]
    found = (re.search("\\b[sS]eed(?:=| → | )(\\d+)", text, re.IGNORECASE) for text in texts)
    return next((match[1] for match in found if match), None)


def command(target, test, number=None):
    """The command that runs a test again."""
    pattern = re.sub("[^A-Za-z0-9_`/ -]", ".", re.sub("\\(.*?\\)$", "", test.name))
    return f"make {target} FILTER='{pattern}'" + (f" SEED={number}" if number else "")


def print_failures(target, tests, log):
    """Prints every test that failed and what it found."""
    for test in tests:
        commands = []
        for issue in test.issues:
            text = "; ".join(message["text"] for message in issue["messages"])
            print(f"✘ {test.name} at {place(issue)}: {text[:400]}")
            commands.append(command(target, test, seed(issue, log)))
        if test.running:
            print(f"✘ {test.name} had not ended when the run did")
            commands.append(command(target, test))
        for line in dict.fromkeys(commands):
            print(f"  again: {line}")


def print_slowest(tests):
    """Prints the slowest tests and modules, by the clock; many run side by side."""
    print(f"The slowest of {len(tests)} tests:")
    for test in sorted(tests, key=lambda test: -test.seconds)[:SLOWEST]:
        print(f"{test.seconds:8.1f} s  {test.name}")
    modules = collections.Counter()
    for test in tests:
        modules[test.module] += test.seconds
    print("Modules, by the sum of their tests:")
    for name, seconds in modules.most_common():
        print(f"{seconds:8.1f} s  {name}")


def main(target, log, streams):
    """Prints the report."""
    tests = [test for test in read(streams).values() if test.start]
    print_slowest(tests)
    print_failures(target, tests, log)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").splitlines(),
         [pathlib.Path(name) for name in sys.argv[3:] if os.path.exists(name)])
