"""Waivers: what somebody has decided to live with, who that is, why, and until when. docs/waivers.md tells the rules.

``entry`` holds the records, ``toml_file`` and ``inline`` read them, ``ledger`` holds them against findings, and
``append`` writes a new one.
"""
