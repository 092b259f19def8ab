"""
What the reference answered before, in the cache folder. A transcript depends on the case and on the programs only, so its key is
a hash of those.
"""
import contextlib
import fcntl
import gzip
import hashlib
import json
import os
import time

KEEP_S = 30 * 24 * 3600     # after that the times in it are too far from those of today (rules.py)


def folder():
    base = os.environ.get("TERRANE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "terrane")
    return os.path.join(base, "differential")


def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


class Cache:
    """`programs` is anything JSON that names the versions of all that takes part."""

    def __init__(self, programs, enabled=True):
        self.programs, self.enabled = programs, enabled
        if enabled:
            os.makedirs(folder(), exist_ok=True)
            self.forget_old()

    def forget_old(self):
        for entry in os.scandir(folder()):
            if entry.is_file() and entry.stat().st_mtime < time.time() - KEEP_S:
                os.unlink(entry.path)

    def path(self, key):
        text = json.dumps([self.programs, key], sort_keys=True)
        return os.path.join(folder(), hashlib.sha256(text.encode()).hexdigest() + ".json.gz")

    def get(self, key):
        try:
            with gzip.open(self.path(key), "rt", encoding="utf-8") as f:
                return json.load(f)
        except (OSError, ValueError, EOFError):
            return None

    def put(self, key, value):
        part = f"{self.path(key)}.{os.getpid()}"
        with gzip.open(part, "wt", encoding="utf-8") as f:
            json.dump(value, f)
        os.replace(part, self.path(key))

    def lookup(self, key, compute):
        """What is recorded, or else computed: by one process, while others that want the same wait for it."""
        if not self.enabled:
            return compute()
        with self.turn(key):
            found = self.get(key)
            if found is None:
                found = compute()
                self.put(key, found)
        return found

    def lookup_all(self, keys, compute):
        """
        The same for many at once. compute() gets the numbers of those that are not recorded and returns their values; an exception
        may stand for one, and is not recorded.
        """
        if not self.enabled:
            return compute(list(range(len(keys))))
        with self.turn("all"):
            found = [self.get(key) for key in keys]
            missing = [i for i, value in enumerate(found) if value is None]
            for i, value in zip(missing, compute(missing) if missing else ()):
                found[i] = value
                if not isinstance(value, Exception):
                    self.put(keys[i], value)
        return found

    @contextlib.contextmanager
    def turn(self, key):
        with open(self.path(key) + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
