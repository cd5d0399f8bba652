"""Evaluates headline.rego over a plan with regorus: ``python rego.py PLAN``."""

import sys
from pathlib import Path

import regorus

engine = regorus.Engine()
engine.add_policy_from_file(str(Path(__file__).with_name("headline.rego")))
engine.set_input_from_json_file(sys.argv[1])
print(engine.eval_rule_as_json("data.pcs.deny"))
