"""What may differ between the reference and the engine, and why. Exceptions for single cases are in exceptions.json."""
import re
import time
from fractions import Fraction

# What clouds make up: ids, secrets, addresses, times. Two texts are the same when they differ in such words only. A word of one side
# always stands for the same word of the other, also one that is equal on both: so what is no invention stands for itself. Times
# only need to be near each other, and not of the past.
INVENTED = re.compile(r"""
    [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}                         # UUID
  | \d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?     # time
  | \b\d{1,3}(?:[.-]\d{1,3}){3}\b                                       # address, also in a host name
  | [0-9A-Za-z+/]{40,}                                                  # secret
  | [0-9A-Za-z]{6,}                                                     # the rest of vpc-0123abcd, AKIA...
""", re.X)
TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ]\d\d:")
IN_OBJECTS = {"before", "after", "attributes", "value"}     # there any word can be made up
IN_TEXT = {"diagnostics"}                                   # there only an id: one that an object has, or one with digits
THESE_DAYS_S = 40 * 24 * 3600
# A provider that ended: core makes it an error diagnostic in every phase. The contract has a protocol error of its own, which
# callers may answer with another try, except in apply.
LOST_CODE = -32000
# Which of two errors core gives for a provider that ended depends on which of its goroutines hears of it first.
CANCELLED = re.compile(r"The (plugin6?\.\(\*GRPCProvider\)\.\w+) request was cancelled\.")
NO_ANSWER = r"The plugin encountered an error, and failed to respond to the \1 call. The plugin logs may contain more details."


def lost(diagnostics):
    """The diagnostics with one name for the end of a provider, and whether they tell of it."""
    out = [{**d, "summary": "Plugin did not respond", "detail": CANCELLED.sub(NO_ANSWER, d["detail"])}
           if d["summary"] == "Request cancelled" else d for d in diagnostics]
    return out, any(d["summary"] == "Plugin did not respond" for d in out)


# Where something was before: the reference has a file with lines, the engine a path.
PREVIOUS = re.compile(r"(Previous definition was at |was already (?:defined|set) at ).*\.$", re.M)
# The same messages in OpenTofu's own name.
TOFU = (("registry.opentofu.org", "registry.terraform.io"), ("OpenTofu", "Terraform"))
# Newer releases of the language's library, which OpenTofu 1.12 has, say more about wrong types.
HAVE = re.compile(r"( required), but have [^.\n]*")
# An answer with two wrong members: the SDK of aws reads members in random order, as Go's maps are, and tells the first.
WRONG_MEMBER = re.compile(r"expected \w+ to be a JSON Number, got string instead")
# Terraform stores the identity of an object since 1.12; an older one has none to compare with. (OpenTofu 1.12 does store it.)
IDENTITY = ("identity", "identity_schema_version")


def told(diagnostic):
    """Without places in files, in Terraform's name. What a provider wrote before it ended is told by us alone: the CLI prints it too, but
    as text beside its diagnostics."""
    diagnostic = {k: v for k, v in diagnostic.items() if k != "output"}
    detail = HAVE.sub(r"\1", PREVIOUS.sub(r"\1<place>.", diagnostic.get("detail", "")))
    out = {**diagnostic, "detail": detail}
    out["summary"] = WRONG_MEMBER.sub("expected <member> to be a JSON Number, got string instead", out["summary"])
    for theirs, ours in TOFU:
        out.update({k: out[k].replace(theirs, ours) for k in ("summary", "detail")})
    return out


def at_home(entry):
    """An entry of provider.open whose provider is in Terraform's registry: a bare path means another one to tofu."""
    result = entry.get("result", {})
    if not result.get("source"):
        return entry
    return {**entry, "result": {**result, "source": result["source"].replace(*TOFU[0])}}


def without_identity(value):
    """A result whose states have no identity."""
    if isinstance(value, list):
        return [without_identity(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "schema_version" in value:
        return {k: v for k, v in value.items() if k not in IDENTITY}
    return {k: without_identity(v) if k in ("state", "refreshed", "imported") else v for k, v in value.items()}


class Rules:
    """
    `identity`: does the reference store it? `invented`: what a cloud makes up, or None where it makes up nothing. `age`: how many
    days ago the reference was asked; its clock was that much behind.
    """

    def __init__(self, identity, invented=None, age=0):
        self.identity, self.invented, self.age = identity, invented, age
        self.there, self.back, self.known = {}, {}, []

    def opened(self, a, b):
        """The warnings of opening: core configures the provider in every run and repeats them, an engine need not."""
        self.known = [told(d) for side in (a, b) for d in side.get("result", {}).get("diagnostics") or []]

    def unsaid(self, entry):
        """An entry without the warnings that opening gave already, and without places in files."""
        found = entry.get("result", {}).get("diagnostics")
        if not found:
            return entry
        kept = [d for d in map(told, found) if entry["method"] == "provider.open" or d not in self.known]
        return {**entry, "result": {**entry["result"], "diagnostics": kept}}

    def entry(self, a, b):
        """Both entries of a transcript, told in the same terms."""
        if a["method"] == "provider.open":
            a, b = at_home(a), at_home(b)
            self.opened(a, b)
        a, b = self.unsaid(a), self.unsaid(b)
        if not self.identity:
            a, b = ({**e, "result": without_identity(e["result"])} if "result" in e else e for e in (a, b))
        ended = []
        for side in (a, b):
            found, is_lost = lost(side.get("result", {}).get("diagnostics") or [])
            ended.append(is_lost)
            if is_lost:
                side["result"] = {**side["result"], "diagnostics": found}
        if a["method"] != "resource.apply" and ended[0] and b.get("error", {}).get("code") == LOST_CODE:
            return {**a, "result": {}}, {**a, "result": {}}
        return a, b

    def same(self, a, b, place):
        if isinstance(a, bool) or isinstance(b, bool):
            return a is b
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return same_number(a, b)
        if isinstance(a, str) and isinstance(b, str) and self.invented and place in IN_OBJECTS | IN_TEXT:
            return self.same_invented(a, b, place in IN_TEXT)
        return type(a) is type(b) and a == b or a is b

    def same_invented(self, a, b, text):
        if self.invented.sub("", a) != self.invented.sub("", b):
            return False
        pairs = [p for p in zip(self.invented.findall(a), self.invented.findall(b)) if not these_days(*p, self.age)]
        if any(not alike(x, y) or self.there.get(x, y) != y or self.back.get(y, x) != x for x, y in pairs):
            return False
        if text and any(x != y and x not in self.there and x.isalpha() for x, y in pairs):
            return False
        self.there.update(pairs)
        self.back.update((y, x) for x, y in pairs)
        return True

    def save(self):
        return dict(self.there), dict(self.back)

    def restore(self, saved):
        self.there, self.back = saved


def alike(a, b):
    """Can one word stand for the other?"""
    if TIME.match(a) or TIME.match(b):
        return a == b
    return len(a) == len(b) or only_digits(a) and only_digits(b)


def only_digits(word):
    return word.replace(".", "").replace("-", "").isdigit()


def these_days(a, b, age):
    """Are both times, near each other, and not of the past, with the first on a clock that is some days behind?"""
    found = TIME.match(a), TIME.match(b)
    if not all(found):
        return False
    a, b = (time.mktime(time.strptime(f[1], "%Y-%m-%d")) for f in found)
    a += age * 24 * 3600
    return abs(a - b) < THESE_DAYS_S and min(a, b) > time.time() - THESE_DAYS_S


def same_number(a, b):
    # The reference reads fractions as doubles, which is the precision that its answers have.
    return a == b if isinstance(a, int) and isinstance(b, int) else float(Fraction(a)) == float(Fraction(b))
