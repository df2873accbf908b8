#!/usr/bin/python3
"""Shows what the parts of a run took beside what they took before: seconds.py MEASURED LANDED CLOCK

Both files have a line a part: its name, seconds of processors, seconds by the clock. Several lines of one name in MEASURED
are one part: who waited for another's build waited at the same time. Writes the sums to MEASURED, as LANDED has them.
CLOCK: seconds of the whole run, whose parts run beside each other.
"""

import sys
from pathlib import Path


def read(path):
    """Name -> seconds of processors, and by the clock."""
    found = {}
    for line in Path(path).read_text().splitlines() if Path(path).exists() else ():
        if not line.startswith("#"):
            name, cpu, clock = line.split("\t")
            before = found.get(name, (0, 0))
            found[name] = (before[0] + int(cpu), max(before[1], int(clock)))
    return found


def main():
    measured, landed = read(sys.argv[1]), read(sys.argv[2])
    Path(sys.argv[1]).write_text("".join(f"{name}\t{cpu}\t{clock}\n" for name, (cpu, clock) in measured.items()))
    print("Seconds of processors and by the clock, beside tests/seconds.tsv:")
    for name, (cpu, clock) in measured.items():
        before = landed.get(name)
        print(f"  {name:<14}{cpu:>6}{clock:>6}" + (f"   before:{before[0]:>6}{before[1]:>6}" if before else ""))
    both = [name for name in measured if name in landed]
    more = sum(measured[name][0] - landed[name][0] for name in both)
    cpu = sum(cpu for cpu, _ in measured.values())
    print(f"  {'in all':<14}{cpu:>6}{sys.argv[3]:>6}" + (f"   {more:+} of processors" if both else ""))


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) == 4 else __doc__)
