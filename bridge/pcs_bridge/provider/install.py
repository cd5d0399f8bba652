"""`pcsguard provider`: puts the provider where terraform looks for it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pcs_policies import __version__
from pcs_policies.cli.arguments import Help
from pcs_policies.errors import OK, UsageError

SOURCE: Final = "pcsguard/pcs"
"""What a configuration names in `required_providers`."""

HOSTS: Final = ("registry.terraform.io", "registry.opentofu.org")
"""The hosts that terraform and OpenTofu put before a source that names none."""

DEFAULT_FOLDER: Final = "~/.terraform.d/plugins"
"""Where both look by themselves."""

_NEEDED: Final = ("boto3", "cryptography", "google.protobuf", "grpc", "msgpack")

_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}

LAUNCHER: Final = """\
#!/bin/sh
# Starts the provider with the Python that it is installed in. Which one that is stands beside this folder, not in it:
# the lock file of a configuration holds a hash of the folder, and has to be the same on every machine.
here=$(dirname -- "$(readlink -f -- "$0")")
python=$(cat "$here/../python" 2>/dev/null)
if [ ! -x "$python" ]; then
  echo "The Python of this provider is gone (${python:-unknown}): run 'pcsguard provider install' again." >&2
  exit 1
fi
# -P: nothing in the folder of a configuration may pass for a module of the provider.
exec "$python" -P -m pcs_bridge.provider "$@"
"""


def parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="pcsguard provider",
        description="The Terraform provider for AWS PCS, which is part of pcsguard.",
        epilog="exit codes:\n  0    installed\n  2    wrong usage, or the folder cannot be written",
        formatter_class=Help,
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    install = actions.add_parser(
        "install",
        help="put the provider where terraform finds it",
        description="Write the provider's launcher into a folder of plugins. The provider itself stays in this Python "
        "environment: install again when that moves, or when pcsguard is updated.",
        formatter_class=Help,
        allow_abbrev=False,
    )
    install.add_argument(
        "--mirror",
        metavar="DIR",
        help="write into this folder instead, and print the CLI configuration that makes terraform use it "
        f"(default: {DEFAULT_FOLDER}, which needs none)",
    )
    return parser


def run(parsed: Namespace) -> int:
    for name in _NEEDED:
        if find_spec(name.partition(".")[0]) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    if os.name != "posix":
        raise UsageError(
            "the provider talks to terraform over a Unix socket, which this system has not: use Linux, macOS or WSL"
        )
    folder = Path(parsed.mirror or DEFAULT_FOLDER).expanduser().absolute()
    try:
        written = write(folder)
    except OSError as failure:
        raise UsageError(
            f"the provider cannot be written to {failure.filename or folder}: {failure.strerror}"
        ) from None
    for path in written:
        print(f"wrote {path}", file=sys.stderr)
    print(cli_configuration(folder) if parsed.mirror else _REQUIRED, end="")
    return OK


_REQUIRED: Final = f"""\
terraform {{
  required_providers {{
    pcs = {{
      source  = "{SOURCE}"
      version = "{__version__}"
    }}
  }}
}}
"""


def write(folder: Path) -> list[Path]:
    """Write the provider into a folder of plugins, and return its launchers. Raises OSError."""
    return [write_plugin(folder, f"{host}/{SOURCE}", __version__, LAUNCHER) for host in HOSTS]


def write_plugin(folder: Path, address: str, version: str, launcher: str) -> Path:
    """Write a plugin in the layout of a filesystem mirror, and return its launcher."""
    package = folder / address / version / platform()
    package.mkdir(parents=True, exist_ok=True)
    _replace(package.parent / "python", f"{sys.executable}\n", 0o644)
    program = package / f"terraform-provider-{address.rpartition('/')[2]}_v{version}"
    _replace(program, launcher, 0o755)
    return program


def _replace(path: Path, text: str, mode: int) -> None:
    """Write a file at once: a terraform that runs at this moment sees the old one or the new one."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def platform() -> str:
    """This machine in terraform's words: `linux_amd64`."""
    machine = os.uname()
    name = machine.machine.lower()
    return f"{machine.sysname.lower()}_{_ARCHITECTURES.get(name, name)}"


def cli_configuration(folder: Path) -> str:
    """The CLI configuration that takes the provider from a mirror, and everything else from where it is published."""
    # Terraform reads this file as the older HCL, whose strings are JSON's.
    path = json.dumps(str(folder), ensure_ascii=False)
    own = json.dumps([f"{host}/{SOURCE}" for host in HOSTS])
    return (
        "provider_installation {\n"
        f"  filesystem_mirror {{\n    path    = {path}\n    include = {own}\n  }}\n"
        f"  direct {{\n    exclude = {own}\n  }}\n"
        "}\n"
    )
