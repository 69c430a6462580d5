#!/usr/bin/env python3
"""Runs `tandem collective` for growing clusters and prints wall time, CPU time, memory and activities of each run."""
import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time

# A fabric whose leaves hold all nodes: no place in it is further away than another, and all places in nodes are alike.
# As shipped, rails of 64-port switches make rings longer where they leave a leaf, which sets their ranks apart.
FLAT = ["--set", "platform.fabric_radix=65536"]
GPUS_PER_NODE = 8
FIELDS = ["strategy", "gpus", "fold", "played_gpus", "activities", "wall_s", "cpu_s", "memory_mb", "time_us"]


def measured(command, limit_s):
    """Seconds of wall clock and CPU, MB at the peak, and the JSON that the command printed; None where it took too long."""
    begin = time.monotonic()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=True)
        except subprocess.TimeoutExpired:
            os._exit(1)
        except subprocess.CalledProcessError as error:
            sys.stderr.write(error.stderr)
            os._exit(2)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        with os.fdopen(write, "w") as answer:
            json.dump([usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, done.stdout], answer)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 2:
        sys.exit(f"{' '.join(command)} failed")
    if status != 0:
        return None
    cpu_s, memory_mb, printed = json.loads(text)
    return time.monotonic() - begin, cpu_s, memory_mb, json.loads(printed)


def run(program, strategy, gpus, fold, limit_s):
    nodes = max(1, gpus // GPUS_PER_NODE)
    command = [program, "collective", "allreduce", "--platform", "platforms/dgx-h100.xml", "--nodes", str(nodes),
               *(FLAT if nodes > 1 else []), "-b", "64M", "-e", "64M", "--strategy", strategy, "--fold", fold, "--format", "json",
               "--max-time", "0s"]  # the limit is this script's
    found = measured(command, limit_s)
    if found is None:
        return None
    wall_s, cpu_s, memory_mb, answer = found
    row = answer["rows"][0]
    return {"strategy": strategy, "gpus": gpus, "fold": fold, "played_gpus": row["played_gpus"], "activities": row["activities"],
            "wall_s": round(wall_s, 3), "cpu_s": round(cpu_s, 3), "memory_mb": round(memory_mb), "time_us": row["time_us"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--csv", help="file for the table as CSV")
    parser.add_argument("--quick", action="store_true", help="up to 1,024 GPUs")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a run may take; larger ones of its kind are left out then")
    given = parser.parse_args()
    rows = []
    print(f"{'strategy':<14} {'GPUs':>7} {'fold':>5} {'played':>7} {'activities':>11} {'wall':>9} {'CPU':>9} {'memory':>8} {'simulated':>13}")
    for strategy in ("ring", "hierarchical"):
        for fold in ("off", "on"):
            for gpus in (8, 64, 256, 1024, 2048, 4096, 16384, 131072):
                if gpus < 2 * GPUS_PER_NODE and strategy == "hierarchical" or given.quick and gpus > 1024:
                    continue
                row = run(given.program, strategy, gpus, fold, given.limit)
                if row is None:
                    print(f"{strategy:<14} {gpus:>7} {fold:>5}   more than {given.limit:g} s")
                    break
                rows.append(row)
                print(f"{strategy:<14} {gpus:>7} {fold:>5} {row['played_gpus']:>7} {row['activities']:>11} {row['wall_s']:>7.2f} s"
                      f" {row['cpu_s']:>7.2f} s {row['memory_mb']:>5} MB {row['time_us']:>10.1f} us", flush=True)
    if given.csv:
        with open(given.csv, "w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, FIELDS)
            table.writeheader()
            table.writerows(rows)


main()
