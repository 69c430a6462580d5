#!/usr/bin/env python3
"""Prints the JSON of bench_engine as two tables: CPU seconds in processes of their own, memory at its peak."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    runs = json.load(file)["benchmarks"]


def arguments(run):
    """{"ranks": "64", "latency_ns": "500"} of "ring_all_reduce/ranks:64/latency_ns:500/manual_time"."""
    return dict(part.split(":") for part in run["name"].split("/") if ":" in part)


failed = [run for run in runs if run.get("error_occurred")]
for run in failed:
    print(f"{run['name']}: {run['error_message']}")

rings = [run for run in runs if run["name"].startswith("ring_all_reduce") and run not in failed]
if rings:
    print("ring all-reduce with memory traffic: engine::play() against a bare SimGrid loop of the same activities")
    print(f"{'ranks':>6} {'latency':>8} {'activities':>11} {'bare':>9} {'play':>9} {'ratio':>6}"
          f" {'with plan and verify':>21} {'ratio':>6} {'bare':>8} {'play':>8}")
    for run in rings:
        given = arguments(run)
        print(f"{given['ranks']:>6} {given['latency_ns'] + ' ns':>8} {run['activities']:>11.0f} {run['bare_s']:>7.3f} s"
              f" {run['play_s']:>7.3f} s {run['ratio']:>6.2f} {run['whole_s']:>19.3f} s {run['whole_ratio']:>6.2f}"
              f" {run['bare_mb']:>5.0f} MB {run['whole_mb']:>5.0f} MB")

messages = [run for run in runs if run["name"].startswith("messages_alone") and run not in failed]
if messages:
    print("messages without memory traffic, started together or each rank at a time of its own")
    print(f"{'ranks':>6} {'messages':>9} {'start':>9} {'activities':>11} {'bare':>9} {'play':>9} {'ratio':>6} {'bare':>8} {'play':>8}")
    for run in messages:
        given = arguments(run)
        print(f"{given['ranks']:>6} {given['messages']:>9} {'apart' if given['apart'] == '1' else 'together':>9} {run['activities']:>11.0f}"
              f" {run['bare_s']:>7.3f} s {run['play_s']:>7.3f} s {run['ratio']:>6.2f} {run['bare_mb']:>5.0f} MB {run['whole_mb']:>5.0f} MB")

proofs = [run for run in runs if run["name"].startswith("plan_and_verify") and run not in failed]
if proofs:
    print("plan and verify alone")
    print(f"{'ranks':>6} {'plan':>9} {'verify':>9} {'memory':>8}")
    for run in proofs:
        print(f"{arguments(run)['ranks']:>6} {run['plan_s']:>7.4f} s {run['verify_s']:>7.4f} s {run['mb']:>5.0f} MB")

sys.exit(1 if failed else 0)
