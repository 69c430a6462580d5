#!/usr/bin/env python3
# Runs the experiments of workloads/seeds/ and says which of their numbers are in their bands.
"""Usage: run_seeds.py TANDEM FILE...

A file (TOML) is one published system: its runs, each a command line of `tandem`, and its checks, each an expression over the runs'
cases with a band. A run's cases are those of its JSON, in the order of its --strategy flags: run[0].iteration_s. Words in braces
stand for the texts under [text]. A check with kind = "control" is one in which the mechanism must not help; one with
`deviation` is known to miss, for the reason that docs/deviations.md gives. Exit 1 when another check misses, or a run fails.
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tomllib
import types

SECONDS = 600


def cases_of(tandem, root, command):
    words = [tandem, *shlex.split(command), "--format", "json", "--quiet"]
    result = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        raise RuntimeError(f"exit {result.returncode}: {shlex.join(words)}\n{result.stderr[-1000:]}")
    document = json.loads(result.stdout)
    return [types.SimpleNamespace(**case) for case in document["cases"]]


def run_file(tandem, root, path):
    """Prints a line per check; returns how many failed."""
    seed = tomllib.loads(path.read_text(encoding="utf-8"))
    print(f"{path.stem}: {seed['title']} ({seed['source']})")
    for assumption in seed.get("assumptions", []):
        print(f"  assumption: {assumption}")
    runs = {name: cases_of(tandem, root, command.format(**seed.get("text", {}))) for name, command in seed["run"].items()}
    failed = 0
    for check in seed["check"]:
        value = eval(check["value"], {"__builtins__": {}, "min": min, "max": max}, runs)  # the file is the project's own
        low, high = check["band"]
        inside = low <= value <= high
        known = "deviation" in check
        verdict = "ok" if inside else f"outside, known: {check['deviation']}" if known else "OUTSIDE"
        published = f", published {check['published']}" if "published" in check else ""
        print(f"  {check.get('kind', 'band'):8} {check['name']}: {value:.4g} in [{low}, {high}]{published}: {verdict}")
        failed += not inside and not known
    return failed


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    root = pathlib.Path(__file__).resolve().parent.parent
    tandem = str(pathlib.Path(sys.argv[1]).resolve())
    failed = sum(run_file(tandem, root, pathlib.Path(name)) for name in sys.argv[2:])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
