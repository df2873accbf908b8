#!/usr/bin/python3
"""docs/promises.md: what users are promised, and what was measured.

promises_page.py BUILD_DIR          fails if the page promises other than the tests have measured there, or if
                                    another page refers to an id that no row has or begins with
promises_page.py BUILD_DIR --write  writes the page

    TWOFOLD_TRIES=2000 ctest --test-dir build/dev -L promises -j 2 && tests/promises_page.py build/dev --write
"""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "promises.md"
HEAD = """\
# What is promised, and what was measured

For people who let numbers of Twofold decide. Each row is a promise that a simulation with known truth measures: nightly with many cases,
in every run of the tests with few. Pages refer to rows by their ids. The rows are written by `tests/promises_page.py`.

A share that was measured in few cases may lie beyond the promised one by chance (of 40 cases and 75 %: by 11 points in one of twenty rows). A test fails if
it lies further beyond than chance explains in one of 10 000.

| id | of the simulated cases | promised | measured | cases |
| --- | --- | --- | --- | --- |
"""


def measured(build):
    rows = [row for file in (Path(build) / "promises").iterdir() for row in file.read_text().splitlines()]
    ids = [promise(row)[0] for row in rows]
    for twice in {each for each in ids if ids.count(each) > 1}:
        sys.exit(f"two promises have the id {twice}")
    return sorted(rows)


def promise(row):
    """Without what was measured."""
    return [cell.strip() for cell in row.split(" | ")[:3]]


def references():
    """What pages refer to: (page, id or begin of ids)."""
    return [(page.name, name) for page in DOCS.glob("*.md") for name in re.findall(r"\[`([^`]+)`\]\(promises\.md\)", page.read_text())]


def main():
    rows = measured(sys.argv[1])
    if "--write" in sys.argv:
        PAGE.write_text(HEAD + "".join(row + "\n" for row in rows))
        return
    page = [row for row in PAGE.read_text().splitlines() if row.startswith("| `")]
    differ = sorted({" | ".join(promise(row)) for row in rows} ^ {" | ".join(promise(row)) for row in page})
    for each in differ:
        print("not both measured and on the page:", each)
    strange = [each for each in references() if not any(row.startswith(f"| `{each[1]}") for row in rows)]
    for page, name in strange:
        print(f"{page} refers to {name}, which no row begins with")
    sys.exit(1 if differ or strange else 0)


if __name__ == "__main__":
    main()
