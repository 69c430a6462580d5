# The reference documents say what the program says: docs/inputs.md is what it prints; docs/results.md names every key, column, track.
"""Usage: check_references.py ROOT TANDEM. Each table of docs/results.md lists names in its first column, as code; they are compared, both
ways, with what the program writes."""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT, TANDEM = pathlib.Path(sys.argv[1]), sys.argv[2]
# Every strategy, whole layers and sub-layers, bounded resources: between them they have every key.
RUNS = [["workloads/t3-end-to-end.yaml", "--only", "model=T-NLG", "--only", "tp=8", "--only", "phase=prompt"],
        ["workloads/t3.yaml", "--only", "model=T-NLG", "--only", "tp=8", "--only", "sublayer=OP"]]
# Objects whose keys are data: names of files and of settings.
MAPS = {"inputs", "settings"}


def output(*arguments):
    return subprocess.run([TANDEM, *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def documented(page, section):
    """Names in code in the first column of the section's tables."""
    inside, names = False, set()
    for line in page.splitlines():
        if line.startswith("## "):
            inside = line[3:].strip() == section
        elif inside and line.startswith("| `"):
            names |= set(re.findall(r"`([^`]+)`", line.split("|")[1]))
    return names


def paths(value, path, found):
    """Paths of all leaves: a.b, a[].b; an empty list counts as a leaf."""
    if isinstance(value, dict) and path not in MAPS:
        for key, inner in value.items():
            paths(inner, f"{path}.{key}" if path else key, found)
    elif isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        for inner in value:
            paths(inner, path + "[]", found)
    else:
        found.add(path)
    return found


def without_parents(found):
    """A list that is empty in one result and not in another is no leaf."""
    return {path for path in found if not any(other.startswith((path + "[]", path + ".")) for other in found)}


def json_keys():
    found = set()
    for run in RUNS:
        paths(json.loads(output("compare", *run, "--format", "json")), "", found)
    return without_parents(found)


COLLECTIVE = ["collective", "broadcast", "--platform", "platforms/dgx-h100.xml", "-b", "1M", "-e", "1M"]


def collective_keys():
    return paths(json.loads(output(*COLLECTIVE, "--format", "json")), "", set())


def collective_columns():
    return set(next(csv.reader(output(*COLLECTIVE, "--format", "csv").splitlines())))


def csv_columns():
    return set(next(csv.reader(output("compare", *RUNS[1], "--format", "csv").splitlines())))


def stats_keys():
    with tempfile.TemporaryDirectory() as folder:
        output("compare", *RUNS[1], "--stats", f"{folder}/stats.json")
        return set(json.loads(pathlib.Path(folder, "stats.json").read_text(encoding="utf-8")))


def timeline_names():
    """Names of tracks and counters, without numbers of further tracks; links and what they are called are data."""
    found = set()
    with tempfile.TemporaryDirectory() as folder:
        for run in RUNS:
            output("compare", *run, "--timeline", f"{folder}/trace.json")
            for event in json.loads(pathlib.Path(folder, "trace.json").read_text(encoding="utf-8"))["traceEvents"]:
                if event["ph"] == "M" and event["name"] == "thread_name":
                    found.add(event["args"]["name"])
                elif event["ph"] == "C":
                    found.add(event["name"])
    return {"link NAME" if name.startswith("link ") else re.sub(r" \d+$", "", name) for name in found}


def main():
    failures = []
    if output("docs", "inputs") != (ROOT / "docs/inputs.md").read_text(encoding="utf-8"):
        failures.append("docs/inputs.md is not what the program prints: run `build/tandem docs inputs > docs/inputs.md`")
    page = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    for section, shown in [("JSON", json_keys()), ("CSV", csv_columns()), ("Timeline", timeline_names()),
                           ("Statistics of a run", stats_keys()), ("JSON of a collective", collective_keys()),
                           ("CSV of a collective", collective_columns())]:
        names = documented(page, section)
        failures += [f"docs/results.md, {section}: {name} is missing" for name in sorted(shown - names)]
        failures += [f"docs/results.md, {section}: {name} is in no result" for name in sorted(names - shown)]
    print("\n".join(failures) or "reference documents agree with the program")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
