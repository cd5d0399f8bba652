"""What a run is told to do: one frozen object that every rule and every report sees."""

from pcs_contract.record import Record


class Settings(Record):
    """Settings of a run, with the values that hold when nothing is configured."""

    select: tuple[str, ...] = ()
    """Rule ids or prefixes of ids to run; empty for all."""
    ignore: tuple[str, ...] = ()
    """Rule ids or prefixes of ids to leave out."""
    fail_on: str = "error"
    """The lowest severity that makes the run fail: ``error``, ``warning``, ``info`` or ``never``."""
    undecided: str = "fail"
    """Whether an UNDECIDED verdict at or above ``fail_on`` makes the run fail: ``fail`` or ``ignore``."""
    changed_only: bool = False
    """Leave out groups that a plan does not change."""
    severity: tuple[tuple[str, str], ...] = ()
    """Severities other than a rule's own: pairs of rule id (or title) and ``error``, ``warning`` or ``info``."""
    lowest_severity: str = "info"
    """Rules whose severity is below this one are not run; the preset ``baseline`` makes it ``error``."""
    allow_list: tuple[str, ...] = ()
    """Hosts (``scripts.example.com``) and buckets (``hpc-scripts``, or ``s3://`` and a name with dots) that scripts may
    come from, ``*`` matching any part of a name; empty turns PCS106 off."""
    needed_before_jobs: frozenset[str] = frozenset(
        "mount mounts efs fsx lustre nfs beegfs gpfs weka ldap ldaps sssd kerberos realm domain directory".split()
    )
    """Words in a script's name that say: without it a job finds no storage or no users."""
    log_forwarders: frozenset[str] = frozenset(
        "log logs logging cloudwatch fluentbit fluentd fluent vector promtail filebeat logstash rsyslog".split()
    )
    """Words in a script's name that say: it ships logs off the node."""
    best_effort: frozenset[str] = frozenset(
        "motd banner tag tags tagging monitor monitoring metrics telemetry exporter prometheus grafana datadog "
        "notify notification".split()
    )
    """Words in a script's name that say: the node is fine without it."""
    waivers: str | None = None
    """The file of waivers; ``None`` for ``pcsguard-waivers.toml`` beside the configuration or in the working folder."""
    waiver_days: int = 180
    """Days from today up to which a waiver may last; one that ends later is a finding (PCS804)."""
    baseline: str | None = None
    """The file of findings that do not fail the run."""
