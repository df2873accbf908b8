#!/usr/bin/python3
"""Counts the tests in a JUnit file: count-results.py FILE FAILURES [RETRIED_FILE]

Prints "PASSED FAILED SKIPPED". RETRIED_FILE has the results of those tests that failed and ran
again: what passes there counts as passed. Appends to FAILURES what is to be read at the end of a
run: each failed test, and each that passed only when it ran again, with the end of its output.
Exit code 1: FILE holds no tests.
"""

import os
import sys
import xml.etree.ElementTree as xml

LINES_OF_OUTPUT = 60


def outcomes(path):
    """Test name -> (what became of the test, its output)."""
    found = {}
    for case in xml.parse(path).getroot().iter("testcase"):
        troubles = case.findall("failure") + case.findall("error")
        state = "failed" if troubles else "skipped" if case.find("skipped") is not None else "passed"
        texts = [part.text or part.get("message") or "" for part in troubles + case.findall("system-out")]
        found[case.get("classname", "") + " " + case.get("name")] = (state, "\n".join(texts))
    return found


def shown(heading, output):
    return "\n".join([heading] + ["    " + line for line in output.splitlines()[-LINES_OF_OUTPUT:]]) + "\n"


def main():
    path, failures = sys.argv[1:3]
    first = outcomes(path)
    retried = sys.argv[3] if len(sys.argv) > 3 else None
    again = outcomes(retried) if retried and os.path.exists(retried) else {}
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with open(failures, "a", encoding="utf-8") as out:
        for name, (state, output) in first.items():
            if state == "failed" and again.get(name, ("failed",))[0] == "passed":
                out.write(shown(f"PASSED ONLY WHEN RUN AGAIN: {name}", output))
                state = "passed"
            elif state == "failed":
                out.write(shown(f"FAILED: {name}", output))
            counts[state] += 1
    print(*counts.values())
    return 0 if first else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, xml.ParseError) as error:
        sys.exit(f"count-results.py: {error}")
