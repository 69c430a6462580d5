#!/usr/bin/env python3
# Simulates the measured all-reduce curves of workloads/validation/collectives.csv and prints how far off each is.
# usage: validate_collectives.py PROGRAM [--rows] [--markdown]
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MIB = 2**20

# Measured system -> platform file; the curves of one system at several sizes share it.
SYSTEMS = {
    "Azure ND A100 v4": "azure-nd-a100-v4",
    "A100 node": "dgx-a100",
    "AWS p5.48xlarge": "aws-p5",
    "AMD AAC8": "mi300x",
}


def curves():
    found = defaultdict(dict)
    with open(os.path.join(ROOT, "workloads/validation/collectives.csv"), newline="") as file:
        for row in csv.DictReader(file):
            if row["system"] in SYSTEMS and row["time_outofplace_us"]:
                key = (row["system"], int(row["gpus_count"]), int(row["nodes_count"]), row["notes"])
                found[key][int(row["size_bytes"])] = float(row["time_outofplace_us"])
    return found


def simulate(program, platform, gpus, nodes, one_process, measured):
    """Writes the curve as a log of nccl-tests and asks the program to hold itself against it."""
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        for size, time in sorted(measured.items()):
            log.write(f"{size} {size // 4} float sum -1 {time} 0 0 0 {time} 0 0 0\n")
        log.flush()
        command = [program, "collective", "allreduce", "--platform", os.path.join(ROOT, "platforms", platform + ".xml"),
                   "-n", str(gpus), "--against", log.name, "--format", "json", "-q"]
        if nodes > 1:
            command += ["--nodes", str(nodes)]
        if one_process:
            command += ["-g", str(gpus)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"]


def mean(values):
    return sum(values) / len(values) if values else None


def percent(value, sign=""):
    return "-" if value is None else f"{100 * value:{sign}.1f} %"


def main():
    parser = argparse.ArgumentParser(description="errors of simulated all-reduce times on measured curves")
    parser.add_argument("program")
    parser.add_argument("--rows", action="store_true", help="every size of every curve")
    parser.add_argument("--only", default="", help="systems whose name contains this")
    arguments = parser.parse_args()
    print(f"| {'system':18} | GPUs | nodes | rows | error < 1 MiB | error >= 1 MiB | bias | worst |")
    print("|---|---:|---:|---:|---:|---:|---:|---|")
    for (system, gpus, nodes, notes), measured in curves().items():
        if arguments.only not in f"{system} {gpus}":
            continue
        rows = simulate(arguments.program, SYSTEMS[system], gpus, nodes, "-g " in notes and nodes == 1, measured)
        errors = {row["size_bytes"]: row["error"] for row in rows}
        worst = max(errors, key=lambda size: abs(errors[size]))
        print(f"| {system:18} | {gpus} | {nodes} | {len(rows)} | "
              f"{percent(mean([abs(e) for s, e in errors.items() if s < MIB]))} | "
              f"{percent(mean([abs(e) for s, e in errors.items() if s >= MIB]))} | "
              f"{percent(mean(list(errors.values())), '+')} | {percent(errors[worst], '+')} at {worst} B |", flush=True)
        if arguments.rows:
            for row in rows:
                print(f"    {row['size_bytes']:>12} {row['measured_us']:10.2f} {row['time_us']:10.2f} "
                      f"{percent(row['error'], '+'):>9}  {'host' if row['host_bound'] else row['algorithm']} "
                      f"{row['protocol']}")


sys.exit(main())
