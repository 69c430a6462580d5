"""The tables of docs/studies.md as its studies' CSV gives them."""

import csv


def groups(rows, key):
    """Rows of one value each, in their order."""
    found = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return found


def number(row, key):
    return float(row[key])


def percent(share):
    return f"{100 * share:.1f} %"


def weak(rows):
    return [[row["nodes"], f"{8 * int(row['nodes']):,}", f"{number(row, 'iteration_s'):.3f}", f"{number(row, 'tokens_per_s'):,.0f}",
             percent(number(row, "mfu")), f"{number(row, 'exposed_dp_s'):.3f}", f"{number(row, 'peak_memory_bytes') / 1e9:.1f}",
             f"{number(row, 'network_link_bytes') / 1e9:.1f}"] for row in rows]


def strong(rows):
    of_a_node = number(rows[0], "tokens_per_s") / int(rows[0]["nodes"])
    return [[row["nodes"], f"{8 * int(row['nodes']):,}", str(int(row["global_batch"]) // (int(row["micro_batch"]) * int(row["dp"]))),
             f"{number(row, 'iteration_s'):.2f}", f"{number(row, 'tokens_per_s'):,.0f}", percent(number(row, "mfu")),
             percent(number(row, "tokens_per_s") / int(row["nodes"]) / of_a_node),
             percent(number(row, "bubble_s") / number(row, "iteration_s")), f"{number(row, 'exposed_dp_s'):.3f}",
             f"{number(row, 'peak_memory_bytes') / 1e9:.1f}"] for row in rows]


def strategies(rows):
    return [[peak.removesuffix("TFLOPS").replace("115", "115 (T3)"), *(f"{number(row, 'speedup'):.3f}" for row in group[1:])]
            for peak, group in groups(rows, "set.device.peak.fp16").items()]


def milliseconds(rows):
    return [f"{number(row, 'time_us') / 1e3:.2f}" for row in rows]


def compression(rows):
    return [[f"{bandwidth.removesuffix('Gbps')} Gbit/s", *milliseconds(group)]
            for bandwidth, group in groups(rows, "set.platform.fabric_bandwidth").items()]


def oversubscription(rows):
    return [[ports, *milliseconds(group)] for ports, group in groups(rows, "set.platform.fabric_oversubscription").items()]


TABLES = {"Weak scaling of Llama 2 70B on DGX H100": ("weak-llama2-70b-dgx-h100", weak),
          "Strong scaling of GPT-3 175B on DGX A100": ("strong-gpt3-175b-dgx-a100", strong),
          "Strategies against the ratio of compute to link speed": ("strategies-compute-link", strategies),
          "Compression against bandwidth": ("compression-bandwidth", compression),
          "Oversubscription": ("oversubscription", oversubscription)}


def table_of(document, title):
    """Cells of a section's first table, without its head."""
    section = document.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def stale(document, stores):
    """For each table that its study does not give: its title, and the lines that it does give."""
    found = {}
    for title, (study, make) in TABLES.items():
        with open(stores / f"{study}.csv", newline="", encoding="utf-8") as file:
            wanted = make(list(csv.DictReader(file)))
        if table_of(document, title) != wanted:
            found[title] = "\n".join(f"| {' | '.join(cells)} |" for cells in wanted)
    return found
