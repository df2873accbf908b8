#!/usr/bin/python3
"""Runs clang-tidy, with the checks of .clang-tidy, on product code.

lint.py BUILD_DIR [--since COMMIT | --all]

Looks at the files that differ from COMMIT (HEAD~1: a merge, or the last commit), or at all; at all
as well where there is no such commit.
BUILD_DIR is a build by clang that compiles several files as one, so a header is read once for many
of them; what they generate has been built. Prints what is found once; exit code 1 if there is any.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREES = ("lib/", "suites/", "frontend/", "backend/", "client/", "cli/")
FOUND = re.compile(r"^(/\S+?):(\d+):(\d+): (warning|error): .*\[.+\]$")


def changed(since):
    """The sources that differ from a commit; a header stands for those beside it. None: unknown."""
    diff = ["git", "diff", "--name-only", "--diff-filter=d", since, "--", *TREES]
    run = subprocess.run(diff, cwd=ROOT, capture_output=True, text=True)
    return None if run.returncode else {(ROOT / line).with_suffix(".cc") for line in run.stdout.splitlines()}


def units(build):
    """Each compiled file -> the sources of ours that it consists of."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        parts = re.findall(r'#include "(.*\.cc)"', file.read_text()) if file.suffix == ".cxx" else [file]
        ours = {Path(part) for part in parts if str(part).startswith(tuple(f"{ROOT}/{t}" for t in TREES))}
        if ours:
            found[file] = ours
    return found


def tidy(build, unit):
    run = subprocess.run(
        ["clang-tidy-14", "--quiet", "-p", build, f"--header-filter={ROOT}/({'|'.join(TREES)}).*", unit],
        capture_output=True, text=True,
    )
    lines = [line for line in run.stdout.splitlines() if (m := FOUND.match(line)) and m[1].startswith(f"{ROOT}/")]
    if run.returncode != 0 and not lines:
        lines = [f"{unit}: clang-tidy failed: {run.stderr.strip()[-2000:]}"]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--since", default="HEAD~1")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    wanted = units(options.build.resolve())
    files = None if options.all else changed(options.since)
    if files is not None:
        wanted = {unit: parts for unit, parts in wanted.items() if parts & files}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = sorted({line for lines in pool.map(lambda u: tidy(options.build, u), wanted) for line in lines})
    print(*(line.replace(f"{ROOT}/", "") for line in found), sep="\n")
    print(f"clang-tidy: {len(found)} findings in {sum(map(len, wanted.values()))} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
