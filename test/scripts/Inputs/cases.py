"""The mse cases of a manifest, and some that cannot be run."""
import json
import sys

with open(sys.argv[1]) as file:
    manifest = json.load(file)
cases = [case for case in manifest["cases"] if case["op"] == "mse"]
cases += [
    {**cases[0], "name": "unknown-op", "op": "nothing"},
    {**cases[0], "name": "unknown-attribute", "attributes": {"sharpness": 2.0}},
    {**cases[0], "name": "no-file", "files": {**cases[0]["files"], "input": "nothing.npy"}},
]
print(json.dumps({**manifest, "cases": cases}))
