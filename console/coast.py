#!/usr/bin/env python3
"""Writes console/lib/coast.js from Natural Earth's countries: coast.py FILE.shp >lib/coast.js

FILE.shp is `naturalearth_lowres.shp` of the PyPI package geopandas 0.14.4: Natural Earth 1:110m, public domain.
"""

import math
import struct
import sys

HEADER_BYTES = 100
POLYGON = 5
# Degrees: near the poles, and where the maps do not reach.
FINE, COARSE = 0.2, 3.0
SHOWN_FROM = 25


def rings(data):
    at = HEADER_BYTES
    while at < len(data):
        (words,) = struct.unpack_from(">i", data, at + 4)
        body = data[at + 8 : at + 8 + 2 * words]
        at += 8 + 2 * words
        kind, *_, parts, points = struct.unpack_from("<i4dii", body)
        assert kind == POLYGON
        starts = [*struct.unpack_from(f"<{parts}i", body, 44), points]
        values = struct.unpack_from(f"<{2 * points}d", body, 44 + 4 * parts)
        every = [(180.0 if x <= -179.999 else round(x, 4), round(y, 4)) for x, y in zip(values[::2], values[1::2])]
        yield from (every[begin:end] for begin, end in zip(starts, starts[1:]))


def coasts(shapes):
    """Without the edges that two countries share, and those along the meridian at which a country is cut."""
    edges = {(a, b) for ring in shapes for a, b in zip(ring, ring[1:]) if a != b and max(a[1], b[1]) > -89.9}
    following = {}
    for a, b in edges:
        if (b, a) not in edges:
            following.setdefault(a, []).append(b)
    while following:
        start = here = next(iter(following))
        line = [start]
        while here in following:
            there = following[here].pop()
            if not following[here]:
                del following[here]
            line.append(there)
            here = there
            if here == start:
                break
        yield line


def vector(point):
    x, y = (math.radians(value) for value in point)
    return (math.cos(y) * math.cos(x), math.cos(y) * math.sin(x), math.sin(y))


def distance(p, a, b):
    p, a, b = vector(p), vector(a), vector(b)
    ab = [v - u for u, v in zip(a, b)]
    square = sum(v * v for v in ab)
    t = 0 if square == 0 else max(0, min(1, sum((w - u) * v for u, v, w in zip(a, ab, p)) / square))
    return math.degrees(math.dist(p, [u + t * v for u, v in zip(a, ab)]))


def simplified(line):
    """Douglas and Peucker's, on the sphere."""
    if len(line) < 3:
        return line
    def weight(point):
        return distance(point, line[0], line[-1]) / (FINE if abs(point[1]) >= SHOWN_FROM else COARSE)
    far = max(range(1, len(line) - 1), key=lambda index: weight(line[index]))
    if weight(line[far]) < 1:
        return [line[0], line[-1]]
    return simplified(line[: far + 1])[:-1] + simplified(line[far:])


def main():
    data = open(sys.argv[1], "rb").read()
    lines = []
    for line in coasts(list(rings(data))):
        if max(abs(y) for _, y in line) < SHOWN_FROM or len(line) < 4:
            continue
        middle = len(line) // 2
        line = simplified(line[: middle + 1])[:-1] + simplified(line[middle:])
        tenths = [(round(10 * x), round(10 * y)) for x, y in line]
        if len(set(tenths)) > 2:
            lines.append(tenths)
    lines.sort(key=len, reverse=True)
    print("// Coastlines: Natural Earth 1:110m (public domain), simplified. Written by console/coast.py.")
    print("// Each line: longitude and latitude of its first point in tenths of a degree, then differences.")
    print("export const COAST = [")
    for line in lines:
        numbers = [*line[0]]
        for (x, y), (u, v) in zip(line, line[1:]):
            numbers += [u - x, v - y]
        text = "["
        for index, number in enumerate(numbers):
            piece = f"{number}," if index < len(numbers) - 1 else f"{number}],"
            if len(text) + len(piece) > 119:
                print(text)
                text = ""
            text += piece
        print(text)
    print("];")


main()
