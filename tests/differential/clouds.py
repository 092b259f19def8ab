"""What the providers of a case talk to. Every engine has a cloud of its own, so that objects exist once for each."""
import json
import os
import shutil

CLOCK = "2020-01-02T03:04:05Z"


class Nothing:
    """For providers without a cloud (time, kubectl)."""

    def __init__(self, place):
        self.place = place

    def settings(self):
        return {}

    def neutral(self, text):
        """`text` without what tells one engine's cloud from the other's."""
        return text

    def snapshot(self):
        return {}

    def restore(self, snapshot):
        pass


class Folder(Nothing):
    """Of our own providers: TYPE/ID.json is an object (tests/peers/README.md)."""

    def settings(self):
        return {"folder": self.place, "ids": "sequence", "clock": CLOCK}

    def neutral(self, text):
        return text.replace(self.place, "<cloud>")

    def snapshot(self):
        """Names and contents of all files but the journal, which no provider reads."""
        files = {}
        for folder, _, names in os.walk(self.place):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as f:
                    files[os.path.relpath(path, self.place)] = self.neutral(f.read())
        files.pop("journal", None)
        return files

    def restore(self, snapshot):
        shutil.rmtree(self.place, ignore_errors=True)
        for name, text in snapshot.items():
            self.write(name, text.replace("<cloud>", self.place))

    def write(self, name, text):
        path = os.path.join(self.place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def object_file(self, kind):
        """The first object of a type, or None."""
        folder = os.path.join(self.place, kind)
        names = sorted(n for n in os.listdir(folder) if n.endswith(".json")) if os.path.isdir(folder) else []
        return os.path.join(folder, names[0]) if names else None

    def drift(self, kind, attributes):
        path = self.object_file(kind)
        if path:
            with open(path, encoding="utf-8") as f:
                found = json.load(f)
            with open(path, "w", encoding="utf-8") as f:
                json.dump({**found, **attributes}, f, indent=2)

    def gone(self, kind):
        path = self.object_file(kind)
        if path:
            os.unlink(path)

    def files(self, files):
        for name, text in files.items():
            if text is not None:
                self.write(name, text)
            elif os.path.exists(os.path.join(self.place, name)):
                os.unlink(os.path.join(self.place, name))
