#!/usr/bin/env python3
"""Whether SVG files are what lib/report promises: check_svg.py FILE...

Each is well-formed XML with a title, a description and a view box; all that is drawn and written lies inside the box;
nothing refers to anything else; there are no ids, scripts or style sheets, so it can stand in a page beside others.
Prints a line a fault; exit code 1 if there are some.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
LETTER, BOLD = 0.6, 0.68  # widths by the size, as the figure reckons
NUMBER = r"-?\d+(?:\.\d+)?"
ALLOWED = {"svg", "title", "desc", "g", "rect", "path", "circle", "text"}
SLACK = 0.6  # half a line, and rounding


def path_places(path):
    """Ends of all segments: of the commands that the figures use."""
    x = y = start = 0.0
    for command, arguments in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        numbers = [float(n) for n in re.findall(NUMBER, arguments)]
        if command in "ML":
            x, y = numbers
            start = (x, y) if command == "M" else start
        elif command == "l":
            x, y = x + numbers[0], y + numbers[1]
        elif command in "Hh":
            x = numbers[0] + (x if command == "h" else 0)
        elif command in "Vv":
            y = numbers[0] + (y if command == "v" else 0)
        elif command in "Zz":
            x, y = start
        else:
            raise ValueError(f"path command {command}")
        yield x, y


def text_places(element):
    size = float(element.get("font-size", 11))
    width = len(element.text or "") * size * (BOLD if element.get("font-weight") else LETTER)
    x, y = float(element.get("x")), float(element.get("y"))
    before = {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor", "start")]
    if element.get("transform"):  # upright, as the labels of axes are
        return [(x - size, y + before), (x, y + before - width)]
    return [(x - before, y - size), (x - before + width, y + size / 4)]


def places(element):
    tag = element.tag.removeprefix(SVG)
    if tag == "path":
        return list(path_places(element.get("d")))
    if tag == "rect":
        x, y = float(element.get("x", 0)), float(element.get("y", 0))
        return [(x, y), (x + float(element.get("width")), y + float(element.get("height")))]
    if tag == "circle":
        return [(float(element.get("cx")), float(element.get("cy")))]
    return text_places(element) if tag == "text" else []


def visit(element, dx, dy, box, faults):
    tag = element.tag.removeprefix(SVG)
    if tag not in ALLOWED:
        faults.append(f"element {tag}")
    faults.extend(f"attribute {name}" for name in element.attrib if name in ("id", "class", "href", "style"))
    shift = re.fullmatch(rf"translate\(({NUMBER}) ({NUMBER})\)", element.get("transform", ""))
    if shift:
        dx, dy = dx + float(shift[1]), dy + float(shift[2])
    for x, y in places(element):
        if not (-SLACK <= x + dx <= box[0] + SLACK and -SLACK <= y + dy <= box[1] + SLACK):
            faults.append(f"{tag} at {x + dx:.1f}, {y + dy:.1f} is outside: {element.text or element.attrib}")
    for child in element:
        visit(child, dx, dy, box, faults)


def check(file):
    root = ElementTree.parse(file).getroot()
    faults = []
    if [child.tag for child in root[:2]] != [SVG + "title", SVG + "desc"] or not root[0].text:
        faults.append("no title and description")
    width, height = (float(n) for n in root.get("viewBox").split()[2:])
    if (float(root.get("width")), float(root.get("height"))) != (width, height):
        faults.append("the view box is not its size")
    visit(root, 0.0, 0.0, (width, height), faults)
    return faults


def main(files):
    faults = [f"{file}: {fault}" for file in files for fault in check(file)]
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
