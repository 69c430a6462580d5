# The reference documents say what the program says: docs/inputs.md is what it prints, docs/results.md names every key of its JSON.
"""Usage: check_references.py ROOT TANDEM."""
import json
import pathlib
import re
import subprocess
import sys

root, tandem = pathlib.Path(sys.argv[1]), sys.argv[2]
failures = []


def output(*arguments):
    return subprocess.run([tandem, *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


if output("docs", "inputs") != (root / "docs/inputs.md").read_text(encoding="utf-8"):
    failures.append("docs/inputs.md is not what `tandem docs inputs` prints: run `build/tandem docs inputs > docs/inputs.md`")


def keys(value, found):
    if isinstance(value, dict):
        for key, inner in value.items():
            found.add(key)
            keys(inner, found)
    elif isinstance(value, list):
        for inner in value:
            keys(inner, found)
    return found


documented = set(re.findall(r"`([a-z_]+)`", (root / "docs/results.md").read_text(encoding="utf-8")))
shown = set()
for only in (["sublayer=layer", "model=T-NLG", "tp=8", "phase=prompt"],):
    arguments = ["compare", "workloads/t3-end-to-end.yaml", "--format", "json", "-q"]
    for value in only:
        arguments += ["--only", value]
    document = json.loads(output(*arguments))
    # Names of files and of settings are values that happen to be keys.
    document["inputs"], document["settings"] = {}, {}
    keys(document, shown)
for key in sorted(shown - documented):
    failures.append(f"docs/results.md does not mention the JSON key {key}")
STATS = {"wall_s", "cpu_s", "peak_memory_bytes", "cores", "host"}
for key in sorted(documented - shown - STATS):
    failures.append(f"docs/results.md mentions {key}, which no result has")

print("\n".join(failures) or "reference documents agree with the program")
sys.exit(1 if failures else 0)
