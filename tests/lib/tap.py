"""Tests in Python that speak TAP, and the real programs they ask for by name.

    from tap import test, run, peer, skip

    @test("terraform agrees on the schema")
    def agrees():
        terraform = peer("terraform")
        assert ..., "why"

    run()
"""
import os
import re
import subprocess
import sys
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("TERRANE_BUILD", os.path.join(ROOT, "build"))
TERRANE = os.path.join(BUILD, "terrane")

_tests = []


def cache_folder(name):
    """Where tests keep what is expensive and the same in the next run."""
    base = os.environ.get("TERRANE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "terrane")
    return os.path.join(base, name)


class Skip(Exception):
    pass


def skip(lacks, why):
    """Ends the test: what it lacks is not here. `lacks` is KIND:NAME (tests/README.md), by which the runner counts and judges."""
    assert re.fullmatch(r"(peer|tool|data|machine):\S+", lacks), lacks
    raise Skip(f"{lacks} {why}")


def peer(name):
    """The path of a real program (see tests/peers/README.md); the test is skipped when it is not there."""
    found = subprocess.run([os.path.join(ROOT, "tests", "peers", "find"), name], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    if found.returncode == 0:
        return found.stdout.strip()
    skip(f"peer:{name}", found.stderr.strip().removeprefix(f"{name}: ").replace("\n", "; ") or "not there")


def test(name):
    def add(function):
        _tests.append((name, function))
        return function
    return add


def run():
    """Runs all that was declared, in order; exits with 1 if one failed."""
    print(f"1..{len(_tests)}", flush=True)
    failed = 0
    for number, (name, function) in enumerate(_tests, 1):
        try:
            function()
        except Skip as reason:
            print(f"ok {number} - {name} # SKIP {reason}", flush=True)
        except Exception:  # any failure is this test's, the others still run
            failed += 1
            print(f"not ok {number} - {name}", flush=True)
            print("".join(f"# {line}\n" for line in traceback.format_exc().rstrip().split("\n")), end="", flush=True)
        else:
            print(f"ok {number} - {name}", flush=True)
    sys.exit(1 if failed else 0)


def shell(line, closed, into=""):
    """The command line with these descriptors closed, or with output to somewhere else."""
    closing = {0: "<&-", 1: ">&-", 2: "2>&-"}
    return ["/bin/sh", "-c", f'exec "$@" {into} ' + " ".join(closing[fd] for fd in closed), "sh", *line]


def terrane(*args, env=None, cwd=None, timeout=120, **more):
    """Runs the program under test and returns the finished process, output as text."""
    full = dict(os.environ)
    full.pop("TF_REATTACH_PROVIDERS", None)
    full.update(env or {})
    return subprocess.run([TERRANE, *args], env=full, cwd=cwd, timeout=timeout, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **more)
