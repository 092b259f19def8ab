"""Reads lines `HEX <tab> JSON` and checks that python3-msgpack finds in the bytes what the JSON says."""
import json
import sys
from decimal import Decimal

import msgpack


def same(got, want):
    if isinstance(want, Decimal):
        if isinstance(got, bool) or not isinstance(got, (int, float, str)):
            return False
        # A float is the shortest decimal of its value; a text is the number itself.
        return Decimal(repr(got) if isinstance(got, float) else got) == want
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same, got, want))
    if isinstance(want, dict):
        return isinstance(got, dict) and list(got) == list(want) and all(same(got[k], want[k]) for k in want)
    return type(got) is type(want) and got == want


checked = 0
for line in sys.stdin:
    bytes_hex, text = line.rstrip("\n").split("\t")
    want = json.loads(text, parse_int=Decimal, parse_float=Decimal)
    got = msgpack.unpackb(bytes.fromhex(bytes_hex), raw=False, strict_map_key=True)
    if not same(got, want):
        sys.exit(f"differs: {bytes_hex} {text} {got!r}")
    checked += 1
if checked == 0:
    sys.exit("nothing to check")
