#!/usr/bin/python3
"""Looks at the causes of what the documentation promises where the cause is a build, a link or a setting.

promises.py BUILD_DIR: at the programs there, and at what preset `user` compiles and links (it is only
configured). Each row of the table says where the promise stands, in words that must still be there, so
that promise and cause go together. Speed itself is not measured: that is what bench/ is for.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRONTEND = "twofold-frontend"
ANY_PROGRAM = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
GLIBC = ANY_PROGRAM - {"libstdc++.so.6", "libgcc_s.so.1"}
# Folders on a job's way, with the messages that it travels in, and on that of an object.
HOT = ["lib/queue", "lib/rpc", "lib/load", "lib/stats", "lib/trace", "lib/results", "frontend/queues", "frontend/streams",
       "proto/CMakeFiles/twofold_messages.dir", "workloads/objects/CMakeFiles/twofold_objects_lib.dir", "workloads/objects/load",
       "workloads/objects/wire"]


def output(*command, **more):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **more})
    if done.returncode:
        sys.exit(f"{command}: {done.stdout}")
    return done.stdout


class Build:
    """A build folder, built or only configured."""

    def __init__(self, folder):
        self.folder = Path(folder)
        entries = json.loads((self.folder / "compile_commands.json").read_text())
        self.commands = {re.search(r" -o (\S+)", entry["command"])[1]: entry["command"] for entry in entries}

    def program(self, name):
        return self.folder / "bin" / name

    def libraries(self, name):
        """Shared libraries that the program asks for."""
        return set(re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", self.program(name))))

    def calls(self, name):
        """What the program takes from shared libraries."""
        return output("nm", "-DC", "--undefined-only", self.program(name))

    def link(self, name):
        """The libraries on the command line that links the program."""
        text = (self.folder / "build.ninja").read_text()
        return re.search(rf"^build bin/{name}: .*?^  LINK_LIBRARIES = (.*?)$", text, re.M | re.S)[1]

    def units(self, folder):
        return [command for unit, command in self.commands.items() if unit.startswith(folder + "/") or not folder]

    def level(self, command):
        """That of the optimiser: the last word counts."""
        return re.findall(r" -O(\S+)", command)[-1]


# ---- causes: each returns whether it is there


def links_jemalloc(built, user):
    """Linked, also where only `malloc` is called; and by the same words in what users get."""
    words = [re.findall(r"--no-as-needed,(\S*libjemalloc\S*),--pop-state", build.link(FRONTEND)) for build in (built, user)]
    return any(name.startswith("libjemalloc") for name in built.libraries(FRONTEND)) and words[0] and words[0] == words[1]


def allocates_with_jemalloc(built, _):
    """Not only linked: the allocator of the running program, with the settings of frontend/main.cc."""
    told = output(built.program(FRONTEND), "--version", MALLOC_CONF="stats_print:true")
    return re.search(r"opt\.background_thread: true", told) and re.search(r"opt\.dirty_decay_ms: 1000 ", told)


def core_is_one_unit(built, user):
    return all(len(build.units("lib/queue")) == 1 for build in (built, user))


def hot_code_has_full_effort(built, user):
    return all(
        build.units(folder) and all(build.level(command) in ("2", "3") for command in build.units(folder))
        for folder in HOT
        for build in (built, user)
    )


def all_code_is_optimised(built, user):
    ours = [command for unit, command in built.commands.items() if not unit.startswith("tests/")] + user.units("")
    return all(" -DNDEBUG " in command and built.level(command) != "0" for command in ours)


def abseil_looks_for_no_deadlocks(built, _):
    return "SetMutexDeadlockDetectionMode" in built.calls(FRONTEND)


def rows_are_pipelined(built, _):
    return "PQenterPipelineMode" in built.calls(FRONTEND)


def live_has_room(built, _):
    return b"ALTER TABLE live SET (fillfactor = 30)" in built.program(FRONTEND).read_bytes()


def submessages_keep_memory(*_):
    """protoc gives a field a bit of its own, and keeps what it points to, if it is `optional`."""
    text = (ROOT / "proto/twofold/v1/queue.proto").read_text()
    return all(f"optional {kind}" in text for kind in ("ResultBatch results", "WorkerResults results", "AssignBatch assigns"))


def workload_needs_glibc_only(built, _):
    return built.libraries("twofold-gpu") <= GLIBC


def keeper_needs_nothing(built, _):
    return built.libraries("twofold-keeper") <= ANY_PROGRAM


def few_units(_, user):
    """Several files are compiled as one, so most headers are read once; 80 units are it now."""
    return len(user.commands) < 100


PROMISES = [
    ("docs/performance.md", "| jemalloc in the frontend |", links_jemalloc),
    ("docs/performance.md", "| jemalloc in the frontend |", allocates_with_jemalloc),
    ("docs/performance.md", "freed memory goes back to the system after a second", allocates_with_jemalloc),
    ("docs/performance.md", "| the core compiled as one unit |", core_is_one_unit),
    ("docs/performance.md", "g++ 12.2 -O2", hot_code_has_full_effort),
    ("docs/performance.md", "g++ 12.2 -O2", all_code_is_optimised),
    ("docs/performance.md", "| abseil's look for deadlocks off |", abseil_looks_for_no_deadlocks),
    ("docs/performance.md", "submessages of a message keep their memory", submessages_keep_memory),
    ("docs/performance.md", "`live` has room in its pages (`fillfactor`)", live_has_room),
    ("docs/performance.md", "so that PostgreSQL writes them while the next are put together", rows_are_pipelined),
    ("docs/architecture.md", "the keeper, which links no library", keeper_needs_nothing),
    ("suites/gpu/README.md", "links nothing but glibc", workload_needs_glibc_only),
    ("README.md", "takes four to six minutes on two cores", few_units),
]


def main():
    built = Build(sys.argv[1])
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        output("cmake", "-S", ROOT, "--preset", "user", "-B", folder)
        user = Build(folder)
        for page, words, cause in PROMISES:
            if words not in (ROOT / page).read_text():
                fault = "does not say so any more: change its row in tests/promises.py"
            elif not cause(built, user):
                fault = f"is not kept: {cause.__name__.replace('_', ' ')}: no"
            else:
                continue
            faults += 1
            print(f"{page}: '{words}' {fault}")
    print(f"{len(PROMISES)} promises, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) == 2 else __doc__)
