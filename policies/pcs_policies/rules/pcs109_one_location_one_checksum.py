"""A location has the same checksum and version wherever it is used.

What it checks
    Scripts that name the same `scriptSource.scriptLocation`, in one group or in several of a run, agree on its checksum
    and on its `s3VersionId`. Only values that are written down and known are compared. Each place that disagrees with
    another is reported. Where a run holds one address twice (a plan and a state), the two are not compared.

Why
    Two checksums for what lies in one place cannot both fit, so one group's nodes fail. Two versions mean that groups
    run different content under one name: an update that reached some of them and was forgotten in the others.

Fix
    Give the location one checksum and one version, best from a variable or lock file that all groups share. Content
    that is meant to differ belongs in locations that differ.

Sources
    PCS user guide, cng-node-lifecycle-actions-configure (a mismatch is a failed download). Amazon S3 user guide,
    "Retaining multiple versions of objects".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from pcs_contract.hints import Any
from pcs_contract.record import Record
from pcs_policies.document import Leaf, Node, NodeGroup, Script
from pcs_policies.redaction import label, quote, show
from pcs_policies.rules.fragments import SHA256, UNKNOWN, VERSION, Fragment, actions, at, script
from pcs_policies.rules.rule import Fold, Severity
from pcs_policies.settings import Settings

ID = "PCS109"
TITLE = "one-location-one-checksum"
SEVERITY = Severity.WARNING

_LOCATION = "s3://example-scripts/setup.sh"
_OTHER = SHA256[::-1]


def _case(title: str, first: dict[str, str], second: dict[str, str], *, elsewhere: str = _LOCATION) -> Fragment:
    scripts = [script("setup", _LOCATION, **first)], [script("again", elsewhere, **second)]
    return Fragment(title, actions(*scripts))


def _at(fragment: Fragment) -> Fragment:
    member = "scriptSource.scriptLocation"
    return fragment._replace(at=(at("bootstrapped", 0, member), at("ready", 0, member)))


GOOD = (
    _case("the same pins", {"checksum": SHA256, "s3VersionId": VERSION}, {"checksum": SHA256, "s3VersionId": VERSION}),
    _case("a checksum in capitals", {"checksum": SHA256}, {"checksum": SHA256.upper()}),
    _case("a checksum in one place only", {"checksum": SHA256}, {}),
    _case("a checksum that is not known", {"checksum": SHA256}, {"checksum": UNKNOWN}),
    _case("another location", {"checksum": SHA256}, {"checksum": _OTHER}, elsewhere="s3://example-scripts/other.sh"),
    _case("a location that is not known", {"checksum": SHA256}, {"checksum": _OTHER}, elsewhere=UNKNOWN),
)
BAD = (
    _at(_case("two checksums", {"checksum": SHA256}, {"checksum": _OTHER})),
    _at(_case("two versions", {"checksum": SHA256, "s3VersionId": VERSION}, {"s3VersionId": VERSION[::-1]})),
)
UNDECIDED = ()


class Use(Record):
    """A place that uses a location. ``document`` is one object for all places of a document."""

    document: object
    address: str
    location: str
    checksum: str | None
    version: str | None
    text: str


class Others(Record):
    """Who disagrees with a place: its own group, and how many others, of which two are named."""

    own: bool
    named: tuple[str, ...]
    groups: int

    def __str__(self) -> str:
        names = list(map(quote, self.named))
        more = self.groups - len(names)
        if more:
            names.append(f"{more} more group{'s' if more > 1 else ''}")
        elsewhere = (
            f"in {', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(f"in {n}" for n in names)
        )
        return " and ".join(filter(None, ("elsewhere in this group" if self.own else "", elsewhere)))


def collect(group: NodeGroup, settings: Settings) -> Iterator[tuple[Node, Any]]:
    document = object()
    for used in group.scripts():
        location = used.location.text
        checksum, version = _written(used, used.checksum), _written(used, used.version)
        if location and (checksum or version):
            text = f"{label(used)} takes {show(used.location)}"
            checksum = checksum.lower() if checksum else None
            yield used.location, Use(document, group.address, location, checksum, version, text)


def judge(uses: Sequence[Use], settings: Settings) -> Iterable[tuple[int, str, str]]:
    by_location: dict[str, list[int]] = defaultdict(list)
    for position, use in enumerate(uses):
        by_location[use.location].append(position)
    for positions in by_location.values():
        checksums = _disagreeing([(position, uses[position], uses[position].checksum) for position in positions])
        versions = _disagreeing([(position, uses[position], uses[position].version) for position in positions])
        for position in positions:
            others = checksums.get(position) or versions.get(position)
            if others is None:
                continue
            if position in versions:
                what = "a checksum and an S3 version" if position in checksums else "an S3 version"
                why = "they run different content under one name"
            else:
                what, why = "a checksum", "what lies there fits one of them at most"
            yield (
                position,
                f"{uses[position].text} with {what} other than {others}: {why}",
                "give the location one checksum and one version everywhere",
            )


fold = Fold(collect, judge)


def _written(script: Script, leaf: Leaf) -> str | None:
    return None if script.inherits(leaf) else leaf.text


def _disagreeing(entries: list[tuple[int, Use, str | None]]) -> dict[int, Others]:
    """The positions whose value differs from that of another, with who that is."""
    known = [(position, use, value) for position, use, value in entries if value]
    if len({value for _, _, value in known}) < 2:
        return {}
    of_address: dict[str, set[str]] = defaultdict(set)
    of_document: dict[object, set[str]] = defaultdict(set)
    for _, use, value in known:
        of_address[use.address].add(value)
        of_document[use.document].add(value)
    agreeing = Counter(next(iter(values)) for values in of_address.values() if len(values) == 1)
    first: dict[str, list[str]] = {}  # three for each value, since one of them may be the place's own group
    found = {}
    for position, use, value in known:
        if value not in first:
            first[value] = list(islice((name for name, values in of_address.items() if values != {value}), 3))
        count = len(of_address) - agreeing[value] - (of_address[use.address] != {value})
        own = len(of_document[use.document]) > 1
        if own or count:
            named = tuple(name for name in first[value] if name != use.address)[:2]
            found[position] = Others(own, named, count)
    return found
