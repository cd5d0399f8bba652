"""What is said of a module that cannot be imported: only one that an extra brings is for the user to install."""

import pytest

from pcs_policies.errors import without_extra


@pytest.mark.parametrize(
    ("extra", "module", "said"),
    [
        ("html", "jinja2", "the page needs jinja2, which is not installed; the extra 'html' brings it: "),
        (
            "provider",
            "google.protobuf",
            "the page needs google, which is not installed; the extra 'provider' brings it: ",
        ),
        ("html", "pcs_policies.reports.page", None),  # a defect of pcsguard
        (None, "jinja2", None),
        ("html", None, None),
    ],
    ids=["a-module", "of-a-package", "one-of-ours", "no-extra", "no-name"],
)
def test_a_missing_module(extra: str | None, module: str | None, said: str | None) -> None:
    error = without_extra("the page", extra, ModuleNotFoundError("secret", name=module))
    expected = None if said is None else f"{said}pip install 'pcsguard[{extra}]'"
    assert (None if error is None else str(error)) == expected
