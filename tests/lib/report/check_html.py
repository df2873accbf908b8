#!/usr/bin/env python3
"""Whether HTML files are what lib/report/document promises: check_html.py FILE...

Each is well-formed (every element is closed where it was opened), has a language, a title, one <h1> and one <main>, headings
in order, captions and row or column headings in tables, names for regions and pictures, ids that are there once and links
that lead to them. Nothing refers to another file or host; there are no scripts and no attributes with style. Its policy allows
exactly its own style sheet. Prints a line a fault; exit code 1 if there are some.
"""

import base64
import hashlib
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link", "base"}
REFERRING = {"src", "srcset", "data", "action", "poster", "xlink:href", "background", "cite"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids, self.links, self.seen = [], [], [], [], {}
        self.texts, self.policy, self.level = {}, "", 0

    def fault(self, text):
        self.faults.append(f"line {self.getpos()[0]}: {text}")

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        self.seen[tag] = self.seen.get(tag, 0) + 1
        if len(names) != len(attributes):
            self.fault(f"{tag} has an attribute twice")
        for name, value in attributes:
            if name in REFERRING or name == "style" or name.startswith("on"):
                self.fault(f"{tag} has {name}={value}")
        if "id" in names:
            self.ids.append(names["id"])
        if "href" in names:
            self.links.append(names["href"])
        if names.get("http-equiv") == "Content-Security-Policy":
            self.policy = names["content"]
        if names.get("role") == "region" and not names.get("aria-label"):
            self.fault("a region without a name")
        if tag in ("script", "iframe", "object", "embed", "link", "img", "form"):
            self.fault(f"element {tag}")
        if re.fullmatch("h[1-6]", tag):
            if int(tag[1]) > self.level + 1:
                self.fault(f"{tag} after h{self.level}")
            self.level = int(tag[1])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.fault(f"</{tag}> in {self.open[-3:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data
        elif data.strip():
            self.fault(f"text outside: {data[:20]}")

    def handle_comment(self, data):
        self.fault(f"a comment: {data[:20]}")


def check(file):
    text = open(file, encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    faults = page.faults
    if page.open:
        faults.append(f"not closed: {page.open}")
    if not text.startswith("<!DOCTYPE html>\n<html lang="):
        faults.append("no type or language")
    for tag, count in {"h1": 1, "main": 1, "title": None, "header": 1, "footer": 1}.items():
        if not page.seen.get(tag) or (count and page.seen[tag] != count):
            faults.append(f"{page.seen.get(tag, 0)} times {tag}")
    if page.seen.get("caption", 0) != page.seen.get("table", 0):
        faults.append("a table without a caption")
    if page.seen.get("figcaption", 0) != page.seen.get("figure", 0) or page.seen.get("svg", 0) != page.seen.get("figure", 0):
        faults.append("a figure without a caption or a picture")
    if len(set(page.ids)) != len(page.ids):
        faults.append("an id twice")
    faults += [f"link {link}" for link in page.links if not link.startswith("#") or link[1:] not in page.ids]
    if re.search(r"url\(|@import", page.texts["style"]):
        faults.append("the style sheet refers to something")
    digest = base64.b64encode(hashlib.sha256(page.texts["style"].encode()).digest()).decode()
    if page.policy != f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'":
        faults.append(f"the policy is {page.policy}; the hash of the style sheet is sha256-{digest}")
    return faults


def main(files):
    faults = [f"{file}: {fault}" for file in files for fault in check(file)]
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
