"""
What the reference answered before. A transcript depends on the case and on the programs only, so its key is a hash of those. An answer
comes from the repository (tests/data/differential, one file a group), else from the cache folder, and else the reference is asked.
"""
import collections
import contextlib
import fcntl
import gzip
import hashlib
import json
import lzma
import os
import time

import data
import tap

DAY_S = 24 * 3600
KEEP_S = 30 * DAY_S     # for the cache folder: no longer of use when programs or cases have changed
RECORDED, CACHED, ASKED = "recorded", "cached", "asked"
Answer = collections.namedtuple("Answer", "value asked source")     # asked: when, in days since 1970


def folder():
    return tap.cache_folder("differential")


def today():
    return int(time.time() // DAY_S)


def drawn(name, percent):
    """Is this of the part that is asked again today? Another one every day, the same all day long."""
    return int(hashlib.sha256(f"{today()} {name}".encode()).hexdigest()[:8], 16) % 100 < percent


class Recorded:
    """The answers of some groups that are in the repository: {key: [day, value]}."""

    def __init__(self, groups):
        self.answers = {}
        for group in groups:
            if os.path.exists(self.path(group)):
                with lzma.open(self.path(group), "rt", encoding="utf-8") as f:
                    self.answers.update(json.load(f))

    @staticmethod
    def path(group):
        return os.path.join(data.HERE, "differential", group + ".json.xz")

    def write(self, group, answers):
        text = json.dumps({key: [a.asked, a.value] for key, a in answers.items()}, sort_keys=True, separators=(",", ":"))
        os.makedirs(os.path.dirname(self.path(group)), exist_ok=True)
        with lzma.open(self.path(group) + ".new", "wt", encoding="utf-8", preset=9 | lzma.PRESET_EXTREME) as f:
            f.write(text)
        os.replace(self.path(group) + ".new", self.path(group))


class Cache:
    """`programs` is anything JSON that names the versions of all that takes part; `used` are the answers that were wanted."""

    def __init__(self, programs, groups, enabled=True):
        self.programs, self.enabled, self.used = programs, enabled, {}
        self.recorded = Recorded(groups if enabled else [])
        if enabled:
            os.makedirs(folder(), exist_ok=True)
            self.forget_old()

    def forget_old(self):
        for entry in os.scandir(folder()):
            if entry.is_file() and entry.stat().st_mtime < time.time() - KEEP_S:
                os.unlink(entry.path)

    def hash(self, key):
        return hashlib.sha256(json.dumps([self.programs, key], sort_keys=True).encode()).hexdigest()

    def path(self, key):
        return os.path.join(folder(), self.hash(key) + ".json.gz")

    def get(self, key):
        found = self.recorded.answers.get(self.hash(key)[:32])
        if found:
            return Answer(found[1], found[0], RECORDED)
        try:
            with gzip.open(self.path(key), "rt", encoding="utf-8") as f:
                asked, value = json.load(f)
                return Answer(value, asked, CACHED)
        except (OSError, ValueError, EOFError, TypeError):
            return None

    def put(self, key, answer):
        part = f"{self.path(key)}.{os.getpid()}"
        with gzip.open(part, "wt", encoding="utf-8") as f:
            json.dump([answer.asked, answer.value], f)
        os.replace(part, self.path(key))

    def lookup(self, key, ask, record=True):
        """The answer: from where it is, or else asked for by one process, while others that want the same wait for it."""
        return self.lookup_all([key], lambda _: [ask()], record, self.turn(key))[0]

    def lookup_all(self, keys, ask, record=True, turn=None):
        """
        The same for many at once. ask() gets the numbers of those that nobody knows and returns their values; an exception may
        stand for one, and is not kept. What is not to be in the repository is not recorded.
        """
        found = [self.get(key) if self.enabled else None for key in keys]
        if None in found:
            with (turn or self.turn("all")) if self.enabled else contextlib.nullcontext():
                found = [answer or (self.get(key) if self.enabled else None) for key, answer in zip(keys, found)]
                self.ask(keys, found, ask)
        if record:
            self.used.update((self.hash(key)[:32], answer) for key, answer in zip(keys, found) if isinstance(answer, Answer))
        return found

    def ask(self, keys, found, ask):
        missing = [i for i, answer in enumerate(found) if answer is None]
        for i, value in zip(missing, ask(missing) if missing else ()):
            found[i] = value if isinstance(value, Exception) else Answer(value, today(), ASKED)
            if self.enabled and isinstance(found[i], Answer):
                self.put(keys[i], found[i])

    @contextlib.contextmanager
    def turn(self, key):
        with open(self.path(key) + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
