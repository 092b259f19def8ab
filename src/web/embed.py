#!/usr/bin/python3
"""usage: embed.py OUT.c FILE...: files of the page as arrays of bytes (page.h)."""
import os
import sys

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".svg": "image/svg+xml"}
out, files = sys.argv[1], sys.argv[2:]
lines, table = ['#include "web/page.h"', ""], []
for i, file in enumerate(files):
    with open(file, "rb") as f:
        data = f.read()
    name, kind = os.path.basename(file), os.path.splitext(file)[1]
    lines += [f"static const unsigned char file_{i}[] = {{"]
    lines += ["".join(f"{b}," for b in data[at:at + 40]) for at in range(0, len(data), 40)] + ["};", ""]
    path = "/" if name == "index.html" else "/" + name
    table += [f'    {{"{path}", "{TYPES[kind]}", file_{i}, sizeof file_{i}}},']
lines += ["const struct page_file page_files[] = {", *table, "    {0},", "};", ""]
with open(out, "w", encoding="ascii") as f:
    f.write("\n".join(lines))
