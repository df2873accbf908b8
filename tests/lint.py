#!/usr/bin/python3
"""Runs clang-tidy, with the checks of .clang-tidy, on product code.

lint.py BUILD_DIR [--since COMMIT | --all] [--list]

Looks at the files that differ from COMMIT, or at all; one that only got another name does not differ.
Without COMMIT: from where this branch left the main one, or, on the main one itself, from the commit
before (the last merge). Skips, with the reason and exit code 77, if there is no such commit.
A unit takes about 12 s of processor time. --list: only says which files it would look at.
BUILD_DIR is a build by clang that compiles several files as one, so a header is read once for many
of them; what they include of generated files has been built. Prints what is found once; exit code
1 if there is any.
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
TREES = ("lib/", "suites/", "frontend/", "backend/", "client/", "cli/", "kubernetes/", "workloads/")
FOUND = re.compile(r"^(/\S+?):(\d+):(\d+): (warning|error): .*\[.+\]$")


SKIPPED = 77


def git(*words):
    """The lines that git prints; None: it cannot say."""
    run = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return None if run.returncode else run.stdout.splitlines()


def base():
    """The commit to compare with; None: there is none."""
    head = git("rev-parse", "HEAD")
    for branch in ("origin/main", "main"):
        if (found := git("merge-base", "HEAD", branch)) and found != head:
            return found[0]
    before = git("rev-parse", "--verify", "HEAD~1")
    return before[0] if before else None


def changed(since):
    """The sources that differ from a commit; a header stands for those beside it. None: no such commit."""
    lines = git("diff", "--name-status", "--find-renames", "--diff-filter=d", since) if since else None
    if lines is None:
        return None
    names = (line.split("\t")[-1] for line in lines if not line.startswith("R100"))
    return {(ROOT / name).with_suffix(".cc") for name in names if name.startswith(TREES)}


def skip(reason):
    print(f"SKIPPED: clang-tidy: {reason}; `tests/lint.py build/asan --all` looks at everything")
    return SKIPPED


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
    every = [line for line in run.stdout.splitlines() if FOUND.match(line)]
    lines = [line for line in every if line.startswith(f"{ROOT}/")]  # headers of libraries are not ours
    if run.returncode != 0 and not every:
        lines = [f"{unit}: clang-tidy failed: {run.stderr.strip()[-2000:]}"]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--since", default=base())
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    wanted = units(options.build.resolve())
    if not options.all:
        files = changed(options.since)
        if files is None:
            return skip("there is no earlier commit to compare with")
        wanted = {unit: parts for unit, parts in wanted.items() if parts & files}
    if options.list:
        print(*sorted(str(part.relative_to(ROOT)) for parts in wanted.values() for part in parts), sep="\n")
        return 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = sorted({line for lines in pool.map(lambda u: tidy(options.build, u), wanted) for line in lines})
    print(*(line.replace(f"{ROOT}/", "") for line in found), sep="\n")
    print(f"clang-tidy: {len(found)} findings in {sum(map(len, wanted.values()))} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
