#!/usr/bin/python3
"""Compares the sources with what docs/architecture.md says of their structure.

check-structure.py BUILD_DIR, where the build has written for each library what it may include
(cmake/TwofoldTargets.cmake). A file belongs to the library of the nearest folder above it; a folder
may have two (messages, and services on top of them). Checked are:

  includes  each #include "..." of another folder is among the DEPS
  order     DEPS name only folders that stand above their own in the list of rooms
  grpc      gRPC's library is of the command line, and of what stands on it; only the command line
            includes its headers, or those of services that are made for it, also by way of others
  purity    rooms marked "pure" there read no clock, open no file and start no thread
  path      the files on the path of a job exist, and are 15 at most
"""

import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/architecture.md"
TREES = ["lib", "suites", "workloads", "frontend", "backend", "client", "kubernetes", "cli", "web"]
LONGEST_PATH = 15
IMPURE = re.compile(
    r"\bNow\(\)|_clock::now|#include <(fstream|filesystem|thread|mutex|condition_variable|iostream|fcntl.h|unistd.h)>"
)


def block(marker):
    """The lines of the fenced block that follows the comment `marker`."""
    found = re.search(rf"<!-- {marker} -->\n```\n(.*?)\n```", (ROOT / PAGE).read_text(), re.S)
    if not found:
        sys.exit(f"{PAGE} has no block after <!-- {marker} -->")
    return found[1].splitlines()


def rooms():
    """Folder, or FOLDER/* for all in it -> (its line, whether it is pure); the lowest line is 0."""
    found = {}
    for number, line in enumerate(block("rooms")):
        for word in line.partition("#")[0].split():
            folder, _, mark = word.partition(":")
            found[folder] = (number, mark == "pure")
    return found


def libraries(build):
    """Library -> (its folder, the names in its DEPS)."""
    lines = {file.name: file.read_text().split() for file in (build / "includes").iterdir()}
    ours = (*TREES, "twofold")  # the last are messages
    return {
        name: (words[0], set(words[1:])) for name, words in lines.items() if words[0].split("/")[0] in ours
    }


def sources():
    for tree in TREES:
        yield from sorted(p for p in (ROOT / tree).rglob("*") if p.suffix in (".h", ".cc"))


def includes(known):
    """Forbidden lines."""
    by_folder = {}
    for name, (folder, _) in known.items():
        by_folder.setdefault(folder, set()).add(name)

    def owners(path):
        return next((by_folder[str(p)] for p in Path(path).parents if str(p) in by_folder), set())

    for file in sources():
        here = owners(file.relative_to(ROOT))
        allowed = here.union(*(known[name][1] for name in here))
        for header in re.findall(r'^#include "(.*)"', file.read_text(), re.M):
            there = owners(header)
            if here and there and not there & allowed:
                yield f"{file.relative_to(ROOT)} includes {header}, but {'/'.join(there)} is not among its DEPS"


def order(known, room):
    line = {}
    for folder, _ in known.values():
        place = room.get(folder) or room.get(f"{Path(folder).parent}/*")
        if place:
            line[folder] = place[0]
        else:
            yield f"{folder} is not among the rooms of {PAGE}"
    for folder, deps in known.values():
        for lower in sorted(known[dep][0] for dep in deps if dep in known):
            if lower != folder and line.get(lower, 0) >= line.get(folder, 1):
                yield f"{folder} depends on {lower}, which does not stand above it in {PAGE}"


def grpc(known):
    for folder, deps in known.values():
        if folder.startswith("cli/") or any(known[dep][0].startswith("cli/") for dep in deps if dep in known):
            continue
        yield from (f"{folder} depends on {dep}" for dep in sorted(deps & {"gRPC::grpc++", "twofold_proto"}))
    for file in sources():
        way = way_to_grpc(str(file.relative_to(ROOT)))
        if way and not way[0].startswith("cli/"):
            yield " includes ".join(way)


@functools.cache
def way_to_grpc(file):
    """`file`, what it includes, and so on to a header of gRPC's; empty if it leads to none."""
    if re.match(r"grpcpp/|grpc/\w+\.h$|.*\.grpc\.pb\.h$", file):
        return [file]
    path = ROOT / file
    headers = re.findall(r'^#include ["<](.*)[">]', path.read_text(), re.M) if path.is_file() else []
    return next(([file, *way] for way in map(way_to_grpc, headers) if way), [])


def purity(room):
    for folder, (_, pure) in room.items():
        for file in (ROOT / folder).glob("*.[hc]*") if pure else ():
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if IMPURE.search(line.partition("//")[0]):
                    yield f"{file.relative_to(ROOT)}:{number} is not pure: {line.strip()}"


def path():
    files = [line.split()[0] for line in block("path of a job") if line.strip()]
    yield from (f"{file}, on the path of a job, does not exist" for file in files if not (ROOT / file).is_file())
    if len(files) > LONGEST_PATH:
        yield f"the path of a job has {len(files)} files, more than {LONGEST_PATH}"


def main():
    build = Path(sys.argv[1])
    known = libraries(build)
    room = rooms()
    if not known or not room:
        sys.exit("nothing to compare")
    faults = [*includes(known), *order(known, room), *grpc(known), *purity(room), *path()]
    print(*faults, f"{len(known)} libraries, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) == 2 else __doc__)
