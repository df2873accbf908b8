#!/usr/bin/python3
"""What docs/security.md, docs/jobs.md and docs/performance.md claim is held by a test: the rows of claims.tsv name both.

claims.py: fails if a page has not the words of a row any more, if there is no such test, or if a limit of
docs/security.md has no row.
"""

import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
DOCS = TESTS.parent / "docs"


def tests():
    """The names of all: Suite.Name, or FILE.bats: NAME."""
    names = set()
    for file in [*TESTS.rglob("*.cc"), *TESTS.rglob("*.h")]:
        names |= {f"{suite}.{name}" for suite, name in re.findall(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", file.read_text(), re.M)}
    for file in TESTS.rglob("*.bats"):
        names |= {f"{file.name}: {name}" for name in re.findall(r'^@test "(.*)" \{', file.read_text(), re.M)}
    return names


def limits():
    """First cells of the table of limits."""
    table = (DOCS / "security.md").read_text().partition("## Limits")[2].partition("\nA peer is")[0]
    return [row.split(" | ")[0].removeprefix("| ") for row in table.strip().splitlines()[2:]]


def plain(text):
    return " ".join(text.split())


def faults(rows):
    known = tests()
    pages = {page: plain((DOCS / page).read_text()) for page in {row[0] for row in rows}}
    for page, words, test in rows:
        if words not in pages[page]:
            yield f"docs/{page} does not say: {words}"
        if test not in known:
            yield f"there is no test {test}, which holds: {words}"
    for limit in limits():
        if not any(page == "security.md" and limit.startswith(words) for page, words, _ in rows):
            yield f"no test holds the limit of docs/security.md: {limit}"


rows = [line.split("\t") for line in (TESTS / "claims.tsv").read_text().splitlines() if not line.startswith("#")]
sys.exit("\n".join(faults(rows)) or None)
