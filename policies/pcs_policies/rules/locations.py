"""What a script's location tells: bucket or host, whether what it names can move, and whether the source is pinned."""

import re
from enum import Enum
from functools import lru_cache

from pcs_contract.aws_scripts import parse_location
from pcs_contract.record import Record
from pcs_policies.document import Leaf, Script, State, Template

GAP = "${...}"
"""Stands in the text of a template for each part that is not resolved (see ``Template.__str__``)."""


class Location(Record):
    """A location, taken apart. ``host`` is a bucket where the scheme is ``s3``, and has no user name and no port."""

    scheme: str
    host: str
    port: str
    path: str
    query: str

    @property
    def bucket(self) -> str | None:
        """The S3 bucket that the location names, whether by S3 URI or by an address of S3's web endpoints."""
        if self.scheme == "s3":
            return self.host
        endpoint = re.fullmatch(_S3_ENDPOINT, self.host)
        if endpoint is None:
            return None
        return endpoint["bucket"] or self.path.lstrip("/").partition("/")[0]


# The endpoints of the Amazon S3 user guide: both address styles, with and without a Region. Exact, since any name may
# begin with "s3".
_S3_ENDPOINT = (
    r"(?:(?P<bucket>[a-z0-9.-]+)\.)?s3(?:-accelerate|-fips)?(?:\.dualstack)?(?:[.-][a-z]{2}(?:-[a-z]+){1,3}-\d)?"
    r"\.amazonaws\.com(?:\.cn)?"
)
_PARTS = r"(?s)(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>.*)"


@lru_cache(maxsize=4096)  # the groups of a run share their scripts
def taken_apart(text: str) -> Location | None:
    """The parts of a location; ``None`` when it names no scheme."""
    match = re.match(_PARTS, text)
    if match is None:
        return None
    scheme = match["scheme"].lower()
    if scheme == "s3":  # the rest is a key: S3 URIs have no query, and bucket names no user name or port
        bucket, _, key = text[match.start("authority") :].partition("/")
        return Location(scheme, bucket, "", f"/{key}", "")
    # What a client connects to stands after the last "@": https://trusted.example.com@example.net/
    host, _, port = match["authority"].rpartition("@")[2].lower().partition(":")
    path, _, query = match["rest"].partition("#")[0].partition("?")
    return Location(scheme, host.removesuffix("."), port, path, query)


class Movement(Enum):
    """Whether a location may hold something else tomorrow, going by its name alone."""

    NONE = "nothing in it says so"
    ALIAS = "an alias for the newest release"
    BRANCH = "a branch"
    UNTOLD = "what would say so is known only after apply"


class Moving(Record):
    """How a location moves; ``word`` is the part of it that says so."""

    movement: Movement
    word: str = ""


def moving(leaf: Leaf) -> Moving:
    """Whether the location in ``leaf`` moves."""
    if leaf.value is None:
        return Moving(Movement.UNTOLD if leaf.state is State.UNKNOWN else Movement.NONE)
    return _text_moves(str(leaf.value), isinstance(leaf.value, Template))


@lru_cache(maxsize=4096)
def _text_moves(text: str, has_gaps: bool) -> Moving:
    aws = parse_location(text)
    if aws is not None and GAP not in aws.version:
        return Moving(Movement.NONE) if aws.pinned else Moving(Movement.ALIAS, aws.version)
    location = taken_apart(text) or Location("", "", "", f"/{text}", "")
    found = _moving(location)
    if found is None and has_gaps and GAP in location.path:
        return Moving(Movement.UNTOLD)  # in the path anything may come; a reference to a bucket or host gives no path
    return found or Moving(Movement.NONE)


_COMMIT = r"[0-9a-f]{40}|[0-9a-f]{64}"
_SHORT_COMMIT = r"(?=[a-f]*[0-9])[0-9a-f]{7,39}"
_TAG = r"v?\d+|(?:[\w.-]*[-_])?v?\d+\.\d[\w.+-]*"
_LATEST = r"(?i)latest|.+[-_.@]latest"
_BRANCHES = frozenset({"main", "master", "HEAD"})
_CODE_HOSTS = (
    # The folder after these is a commit, a tag or a branch.
    r"raw\.githubusercontent\.com/[^/]+/[^/]+/",
    r"github\.com/[^/]+/[^/]+/raw/",
    r"[^/]+/[^/]+/.{1,200}?/-/raw/",  # GitLab, wherever it runs
)


def _moving(location: Location) -> Moving | None:
    """How the path moves, or that a commit or tag in it holds it; ``None`` where nothing tells."""
    *folders, file = location.path.lstrip("/").split("/")
    if any(re.fullmatch(_COMMIT, folder) for folder in folders):
        return Moving(Movement.NONE)
    ref = _ref(location)
    if ref is not None:
        return ref
    for word in (*folders, re.sub(r"(?<=.)\.[a-z]{1,4}$", "", file)):
        if re.fullmatch(_LATEST, word):
            return Moving(Movement.ALIAS, word)
    if "/refs/heads/" in location.path:
        return Moving(Movement.BRANCH, location.path.partition("/refs/heads/")[2].partition("/")[0])
    branch = next((folder for folder in folders if folder in _BRANCHES), "")
    if branch and not any(re.fullmatch(_TAG, folder) for folder in folders):
        return Moving(Movement.BRANCH, branch)
    return None


def _ref(location: Location) -> Moving | None:
    """What a web address at a code host says by its place for the commit, tag or branch; ``None`` elsewhere."""
    if location.scheme == "s3":
        return None
    text = f"{location.host}{location.path}"
    start = next((match.end() for host in _CODE_HOSTS if (match := re.match(host, text))), None)
    if start is None:
        return None
    ref, *more = text[start:].split("/")
    if ref == "refs" and len(more) > 1:
        return Moving(Movement.BRANCH, more[1]) if more[0] == "heads" else Moving(Movement.NONE)
    if GAP in ref:
        return Moving(Movement.UNTOLD)
    if re.fullmatch(_SHORT_COMMIT, ref) or re.fullmatch(_TAG, ref):
        return Moving(Movement.NONE)
    return Moving(Movement.ALIAS if re.fullmatch(_LATEST, ref) else Movement.BRANCH, ref)


def is_pinned(script: Script) -> bool | None:
    """Whether a checksum or a version ties the script to one content; ``None`` when that cannot be told."""
    return either(has_checksum(script), has_version(script))


def has_checksum(script: Script) -> bool | None:
    return _pins(script, script.checksum)


def has_version(script: Script) -> bool | None:
    """Whether the source names a version of the object, in its own member or in a web address of S3."""
    location = None if script.location.value is None else taken_apart(str(script.location.value))
    if location is not None and location.bucket and re.search(r"(?:^|&)versionId=.", location.query):
        return True
    return _pins(script, script.version)


def _pins(script: Script, leaf: Leaf) -> bool | None:
    """Whether a checksum or version is there. One that was carried over from prior state may be another script's."""
    if leaf.absent or leaf.value == "" or script.inherits(leaf):
        return False
    return None if leaf.unknown and not leaf.deferred else True


def either(*answers: bool | None) -> bool | None:
    """Yes when one of the answers is yes, no when all are no, else ``None``."""
    if True in answers:
        return True
    return None if None in answers else False


def is_full_aws_version(script: Script) -> bool:
    """Whether the location is a version of an AWS-maintained script that AWS never changes."""
    aws = None if script.location.value is None else parse_location(str(script.location.value))
    return aws is not None and aws.pinned
