#!/usr/bin/env python3
"""What is in a PNG: check_png.py FILE prints "WIDTH HEIGHT DARK COLOURED", the last two in per mille of its pixels."""

import struct
import sys
import zlib


def chunks(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("no PNG")
    place = 8
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place : place + 8])
        yield kind, data[place + 8 : place + 8 + size]
        place += size + 12


def unfilter(kind, line, above, step):
    for i in range(len(line)):
        left, up = line[i - step] if i >= step else 0, above[i]
        corner = above[i - step] if i >= step else 0
        guess = left + up - corner
        nearest = min((left, up, corner), key=lambda each: abs(guess - each))
        line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255


def pixels(data):
    parts = list(chunks(data))
    width, height, depth, colour = struct.unpack(">IIBB", parts[0][1][:10])
    if depth != 8 or colour not in (2, 6):
        sys.exit(f"depth {depth}, colour type {colour}")
    step = 3 if colour == 2 else 4
    raw = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
    above = bytearray(width * step)
    yield width, height
    for y in range(height):
        begin = y * (width * step + 1)
        line = bytearray(raw[begin + 1 : begin + 1 + width * step])
        unfilter(raw[begin], line, above, step)
        above = line
        yield from (line[i : i + 3] for i in range(0, len(line), step))


def main(file):
    with open(file, "rb") as png:
        found = pixels(png.read())
        width, height = next(found)
        dark = coloured = 0
        for red, green, blue in found:
            dark += max(red, green, blue) < 130
            coloured += max(red, green, blue) - min(red, green, blue) > 80
    print(width, height, dark * 1000 // (width * height), coloured * 1000 // (width * height))


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
