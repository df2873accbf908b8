#!/usr/bin/python3
"""Runs the tests of tests/scripts, several files at a time, those that take long first.

run-scripts.py [--jobs N] OUTPUT             all of them
run-scripts.py --failed REPORT OUTPUT        those that failed in REPORT, one after the other

Each file has a bats of its own, which prints what it found when it ends. The tests of files that take long, and do not share
what they set up, are spread over several. Writes the folder OUTPUT anew, with report.xml (JUnit). The tests find in
$TWOFOLD_TREE one copy of the sources, which they leave as it is.
Exit code 1: some failed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "tests/scripts"

# Minutes in all, longest first; upgrade at night only. The others take seconds.
LONG = ["upgrade", "docs", "deployments-apply", "deployments-config", "local", "run", "deployments-queue", "load", "proxy", "jobs", "secured-frontends",
        "store", "plugin", "images", "security", "gang-tcp"]
# Each test sets up what it needs.
SPREAD = {"docs", "deployments-apply", "run", "proxy"}


@dataclass
class Unit:
    """What one bats runs: a file, or one test of it."""

    file: Path
    test: str = ""

    def __str__(self):
        return self.file.name + (f": {self.test}" if self.test else "")


def tests_of(file):
    return re.findall(r'^@test "(.*)" \{', file.read_text(), re.M)


def all_units():
    files = {file.stem: file for file in SCRIPTS.glob("*.bats")}
    for name in [name for name in LONG if name in files] + sorted(files.keys() - set(LONG)):
        yield from [Unit(files[name], test) for test in tests_of(files[name])] if name in SPREAD else [Unit(files[name])]


def failed_units(report):
    for case in xml.parse(report).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            yield Unit(SCRIPTS / case.get("classname"), case.get("name"))


def nothing_ran(unit, output):
    suite = xml.Element("testsuite", name=unit.file.name)
    case = xml.SubElement(suite, "testcase", classname=unit.file.name, name=unit.test or "all")
    xml.SubElement(case, "failure").text = output
    return [suite]


def run(number, unit, output):
    """The suites of JUnit of what a bats ran."""
    folder = output / str(number)
    folder.mkdir()
    words = ["bats", "--timing", "--formatter", "tap", "--report-formatter", "junit", "--output", folder]
    if unit.test:
        words += ["--filter", "^" + re.sub(r"([][.^$*+?(){}|\\])", r"\\\1", unit.test) + "$"]
    started = time.monotonic()
    bats = subprocess.Popen([*words, unit.file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                            env={**os.environ, "TWOFOLD_TREE": str(output / "tree")})
    said = bats.stdout.read()
    _, status, used = os.wait4(bats.pid, 0)
    bats.returncode = os.waitstatus_to_exitcode(status)
    print(f"--- {unit}: {used.ru_utime + used.ru_stime:.1f} s of processors, {time.monotonic() - started:.1f} s by the clock\n{said}",
          end="", flush=True)
    try:
        suites = list(xml.parse(folder / "report.xml").getroot().iter("testsuite"))
    except (OSError, xml.ParseError):
        suites = []
    return suites if any(suite.find("testcase") is not None for suite in suites) else nothing_ran(unit, said)


def copy_tree(tree):
    tree.mkdir()
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["xargs", "-0", "cp", "--parents", "-t", tree], cwd=ROOT, input=files, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2 * os.cpu_count())  # they mostly wait
    parser.add_argument("--failed", metavar="REPORT")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()
    units = list(failed_units(options.failed) if options.failed else all_units())
    output = options.output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    copy_tree(output / "tree")
    with ThreadPoolExecutor(1 if options.failed else options.jobs) as pool:
        suites = [suite for each in pool.map(run, range(len(units)), units, [output] * len(units)) for suite in each]
    root = xml.Element("testsuites")
    root.extend(suites)
    xml.ElementTree(root).write(output / "report.xml")
    return 1 if root.findall(".//failure") or root.findall(".//error") else 0


if __name__ == "__main__":
    sys.exit(main())
