#!/usr/bin/env python3
"""Runs what a page of the documentation tells its reader to type, as it is written.

Usage: run_page.py PAGE SCENE
       run_page.py --list PAGE     commands that would run, one a line; exit code 1 if there are some

A command is a line of an indented block, or of a block fenced as sh; `\\` and open quotes go on in
the next line. A block fenced as sql is a query of the file $STORE, which must find something. All commands of a page are typed
into one bash, one after the other, in the current folder; it has sourced SCENE, a shell script that
sets up what the page takes for granted.

A command that cannot be run here is skipped: one with a word of CANNOT_RUN, or the block after
<!-- docs-test: skip REASON -->. A block after <!-- docs-test: text --> is no commands; a query after
<!-- docs-test: may be empty: REASON --> may find nothing. Such comments are invisible in the page.
`console` blocks belong to sweeps.bats.

Prints a line a command: ran, skipped (with the reason) or FAILED (with the exit code and what it
printed), then "RAN ran, SKIPPED skipped, FAILED failed".
Exit codes: 0 all ran that can; 1 one failed or went on for too long; 2 wrong usage.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

LONGEST_PAGE_SECONDS = 400

# Words (expressions) of commands that need what a test machine does not have, or that do what has its own test.
CANNOT_RUN = {
    "kubectl": "needs a cluster",
    r"./deployments-apply\.sh": "needs a cluster; deployments-apply.bats runs it",
    r"./validate-scaling\.sh \S+ monitoring": "needs a cluster; validate-scaling-pods.bats runs it",
    "podman": "builds images; run-tests.sh images does",
    r"./quickstart\.sh": "installs packages and builds",
    r"./run-tests\.sh": "runs this test",
    "cmake": "builds",
    "ctest": "runs the tests",
    "clang-format": "changes sources",
    "gnuplot": "draws for the docs; not among the packages",
    "mpirun": "needs two hosts; integration_gang_test runs it",
    r"bench/\w+/run\.sh": "measures for minutes",
}

# Programs that go on until they are stopped: typed without `&` they are what another terminal runs.
# With the ports that are served when they are ready.
SERVERS = {
    "twofold-frontend": (9997, 9998, 9999),
    "twofold-client": (9996,),
    "twofold-backend": (),
}

# Exit codes that are an answer, beside 0. A verdict depends on how busy the machine is.
ANSWERS = {"./validate-scaling.sh": range(1, 126), "twofold validate": range(1, 126), "twofold load": (7, 8), "twofold history": (9,)}


@dataclass
class Command:
    line: int
    text: str
    skip: str = ""

    @property
    def answers(self):
        text = self.text[self.text.find(self.word or "") :]
        return next((codes for start, codes in ANSWERS.items() if text.startswith(start)), ())

    @property
    def word(self):
        for word in self.text.split():
            if not re.match(r"[A-Za-z_]+=", word):
                return word
        return ""


def is_whole(text):
    if text.endswith("\\"):
        return False
    return subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True).returncode == 0


def commands_of(block, first_line, skip):
    text = ""
    for number, line in enumerate(block, first_line):
        start = number if not text else start
        text += ("\n" if text else "") + line
        if not line.strip():
            text = text.strip()
        if text and is_whole(text):
            yield Command(start, text, skip)
            text = ""
    if text:
        yield Command(start, text, skip)  # bash says what is wrong with it


def reason_to_skip(text):
    for words, reason in CANNOT_RUN.items():
        if re.search(rf"(^|[\s|;&(])({words})(\s|$)", text):
            return reason
    return ""


def blocks_of(page):
    """(kind, first line, lines): kind is "indented" or the language of a fence."""
    kind, block, start, blank = None, [], 0, True
    for number, line in enumerate(page.read_text().splitlines() + [""], 1):
        fence = line.startswith("```")
        if kind not in (None, "indented"):
            if fence:
                yield kind, start, block
                kind, block = None, []
            else:
                block.append(line)
        elif fence:
            kind, block, start = line[3:] or "figure", [], number + 1
        elif line.startswith("    ") and (kind or blank):
            if not kind:
                kind, block, start = "indented", [], number
            block.append(line[4:])
        elif kind and not line:
            block.append("")
        elif kind:
            yield kind, start, block
            kind, block = None, []
        if kind is None and line.startswith("<!-- docs-test:"):
            yield "marker", number, [line]
        blank = not line or line.startswith("<!--")
    if kind == "indented":
        yield kind, start, block


def read_page(page):
    commands, marker = [], ""
    for kind, line, block in blocks_of(page):
        if kind == "marker":
            marker = re.match(r"<!-- docs-test: (.*) -->$", block[0])[1]
            continue
        skip = marker[len("skip "):] if marker.startswith("skip ") else ""
        if kind == "sql":
            find = "query" if marker.startswith("may be empty: ") else "find"
            commands.append(Command(line, f"{find} {shlex.quote(chr(10).join(block))}", skip))
        elif kind in ("indented", "sh", "bash") and marker != "text":
            commands += commands_of(block, line, skip)
        marker = ""
    return commands


# `typed` runs a command; `ran` has what the servers are. Ports are waited for as a reader does, who
# looks before typing the next line.
PRELUDE = r"""
servers=() ports=()
served() {
  local port i
  for port in "${ports[@]}"; do
    for ((i = 0; i < 600; i++)); do
      (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
      kill -0 "$newest" 2>/dev/null || break
      sleep 0.05
    done
  done
  ports=()
}
typed() {  # NUMBER COMMAND
  served
  eval "$2" >"$out/$1" 2>&1 </dev/null
  echo $? >"$out/$1.code"
}
serve() {  # NUMBER COMMAND PORT...
  served
  eval "$2" >"$out/$1" 2>&1 </dev/null
  newest=$!
  servers+=("$1:$newest")
  ports=("${@:3}")
}
stopped() { servers=(); }  # the reader has ended them
query() { sqlite3 -readonly "$STORE" "$1"; }
find() {
  query "$1" || return
  [ -n "$(query "$1")" ] || { echo "no rows"; return 1; }
}
end() {
  local server
  for server in "${servers[@]}"; do
    kill -0 "${server#*:}" 2>/dev/null && echo 0 >"$out/${server%%:*}.code"
  done
}
"""


def script_for(commands, scene, out):
    lines = [f"out={shlex.quote(str(out))}", f"source {shlex.quote(str(scene))}", PRELUDE]
    for number, command in enumerate(commands):
        text = command.text
        if command.skip:
            continue
        ports = SERVERS.get(command.word)
        if ports is None or "--once" in text or "--help" in text:
            ends = command.word == "kill"
            typed = f"typed {number} {shlex.quote(text)}"
            lines.append(f"end; {typed}; stopped" if ends else typed)
        else:
            text = text if is_background(text) else text + "\n&"
            text = re.sub(r"\s*(#[^'\"]*)?\n&$", " &", text)
            numbers = " ".join(map(str, ports))
            lines.append(f"serve {number} {shlex.quote(text)} {numbers}")
    return "\n".join(lines + ["end", ""])


def is_background(text):
    return re.search(r"&\s*(#.*)?$", text) is not None


def code_of(out, number):
    file = out / f"{number}.code"
    return int(file.read_text()) if file.exists() else None


def printed(out, number):
    file = out / str(number)
    return file.read_text(errors="replace") if file.exists() else ""


def listed(page):
    left = [c for c in read_page(page) if not (c.skip or reason_to_skip(c.text))]
    for command in left:
        print(f"{page}:{command.line}: {command.text}")
    return 1 if left else 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--list":
        return listed(Path(sys.argv[2]))
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    page, scene = map(Path, sys.argv[1:])
    commands = read_page(page)
    for command in commands:
        command.skip = command.skip or reason_to_skip(command.text)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        script = out / "script"
        script.write_text(script_for(commands, scene.resolve(), out))
        try:
            subprocess.run(["bash", script], timeout=LONGEST_PAGE_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            print(f"{page}: not through after {LONGEST_PAGE_SECONDS} s")
        return report(page, commands, out)


def report(page, commands, out):
    ran = skipped = failed = 0
    for number, command in enumerate(commands):
        what = f"{page}:{command.line}: {command.text}"
        code = code_of(out, number)
        if command.skip:
            skipped += 1
            print(f"skipped {what.splitlines()[0]} ({command.skip})")
        elif code == 0 or code in command.answers:
            ran += 1
            print(f"ran {what}")
        else:
            failed += 1
            ended = "did not end, or ended early" if code is None else f"exit code {code}"
            print(f"FAILED {what}\n  {ended}\n{printed(out, number)}")
    print(f"{ran} ran, {skipped} skipped, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
