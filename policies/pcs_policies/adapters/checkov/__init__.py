"""The rules as custom checks of checkov, with the verdicts of ``pcsguard check``.

The data flows through one module each::

    normalise.py   what checkov hands to a check  -> the node group, as pcsguard's own readers see it
    hcl_conf.py    of Terraform source            -> its values, from checkov's and from the text
    hcl_text.py    the text of a resource block   -> what is literally in it
    hcl_sensitive.py  the files of its module     -> what in it is sensitive
    verdict.py     a node group and a rule        -> pass, fail or nothing to judge, with the text to show
    checks.py      the table of rules             -> checks, registered with checkov

``process.py`` is about what these cost. checkov's own names are in it and in ``checks.py`` only; the rest needs the
standard library, and for templates PyYAML, which checkov brings.
"""
