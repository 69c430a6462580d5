#!/usr/bin/env python3
# Writes the platforms of real nodes: make_nodes.py NAME > platforms/NAME.xml; without NAME it lists the names.
# Every number stands here once, with its source or as assumed; the comment at the head of each file repeats both.
import argparse
import textwrap

# Of one direction, as the standards and vendors rate them: what protocols leave of it is no property of the machine.
PCIE3 = "15.75GBps"  # 8 GT/s x 16 lanes, 128b/130b (PCI Express 3.0)
PCIE4 = "31.5GBps"   # 16 GT/s
PCIE5 = "63GBps"     # 32 GT/s
PCIE4_X8 = "15.75GBps"
NODE_GUESSES = "latencies in the node, links between CPUs"
ASSUMED = "Assumed: latencies, of 250 ns per link of NVLink to a switch, 500 ns per link of xGMI or a bus, 300 ns per link of PCIe"


class Node:
    """Hosts, links and routes of one node, in a Full zone: every route is stated, so that none depends on a tie."""

    def __init__(self, name, text, fabric):
        self.name, self.text, self.fabric = name, text, fabric
        self.hosts, self.routers, self.links, self.routes = [], [], [], []

    def gpu(self, name, device, speed, cores, memory, nic):
        self.hosts.append(f"""    <host id="{name}" speed="{speed}Tf" core="{cores}">
      <disk id="hbm" read_bw="{memory}" write_bw="{memory}"/>
      <prop id="device" value="{device}"/>
      <prop id="nic" value="{nic}"/>
    </host>""")

    def cpu(self, name, gigaflops, cores, nic):
        self.hosts.append(f"""    <host id="{name}" speed="{gigaflops}Gf" core="{cores}"><prop id="nic" value="{nic}"/></host>""")

    def router(self, name):
        self.routers.append(f'    <router id="{name}"/>')

    def link(self, name, bandwidth, latency, medium):
        self.links.append(f'    <link id="{name}" bandwidth="{bandwidth}" latency="{latency}" sharing_policy="SPLITDUPLEX">'
                          f'<prop id="medium" value="{medium}"/></link>')

    def route(self, source, target, *crossed):
        """`crossed` are links as '+link' (in the direction of its name) or '-link'; the way back is the reverse."""
        links = "".join(f'<link_ctn id="{c[1:]}" direction="{"UP" if c[0] == "+" else "DOWN"}"/>' for c in crossed)
        self.routes.append(f'    <route src="{source}" dst="{target}">{links}</route>')

    def print(self):
        text = textwrap.fill(" ".join(self.text.split()), 130, initial_indent="<!-- ", subsequent_indent="     ")
        print(f"""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
{text}
     Written by scripts/make_nodes.py. -->
<platform version="4.1">
  <zone id="{self.name}" routing="Full">""")
        for key, value in self.fabric.items():
            print(f'    <prop id="{key}" value="{value}"/>')
        for line in self.hosts + self.routers + self.links + self.routes:
            print(line)
        print("  </zone>\n</platform>")


def add_pcie(node, gpus, per_switch, nics_per_switch, bandwidth, cpu):
    """GPUs and network cards below PCIe switches, half of them at either CPU; all routes but those between GPUs."""
    switches = gpus // per_switch
    gigaflops, cores = cpu
    per_nic = per_switch // nics_per_switch
    socket = lambda switch: switch * 2 // switches
    for c in range(2):
        node.cpu(f"cpu{c}", gigaflops, cores, f"nic{c * switches // 2 * nics_per_switch}")
    for n in range(switches * nics_per_switch):
        node.router(f"nic{n}")
    for g in range(gpus):
        node.link(f"gpu{g}-pcie", bandwidth, "300ns", "pcie")
    for n in range(switches * nics_per_switch):
        node.link(f"nic{n}-pcie", bandwidth, "300ns", "pcie")
    for s in range(switches):
        node.link(f"switch{s}-cpu", bandwidth, "300ns", "pcie")
    node.link("cpu0-cpu1", "41.6GBps", "500ns", "other")
    for g in range(gpus):
        switch = g // per_switch
        nic = g // per_nic
        node.route(f"gpu{g}", f"nic{nic}", f"+gpu{g}-pcie", f"-nic{nic}-pcie")
        for c in range(2):
            crossed = [f"+gpu{g}-pcie", f"+switch{switch}-cpu"]
            if c != socket(switch):
                crossed.append("-cpu0-cpu1" if c == 0 else "+cpu0-cpu1")
            node.route(f"gpu{g}", f"cpu{c}", *crossed)
    for c in range(2):
        nic = c * switches // 2 * nics_per_switch
        node.route(f"cpu{c}", f"nic{nic}", f"-switch{nic // nics_per_switch}-cpu", f"-nic{nic}-pcie")
    node.route("cpu0", "cpu1", "+cpu0-cpu1")


def pairs(count):
    return [(a, b) for a in range(count) for b in range(a + 1, count)]


FABRIC_ASSUMED = "latencies of the fabric"


def rail(bandwidth, nic_latency, radix, assumed=FABRIC_ASSUMED, **more):
    return {"assumed": NODE_GUESSES, "fabric_assumed": assumed, "fabric": "rail",
            "fabric_bandwidth": bandwidth, "fabric_latency": "300ns", "nic_latency": nic_latency,
            "fabric_radix": radix, **more}


def fat_tree(bandwidth, nic_latency, radix, oversubscription=1, assumed=FABRIC_ASSUMED):
    return {"assumed": NODE_GUESSES, "fabric_assumed": assumed, "fabric": "fat-tree",
            "fabric_bandwidth": bandwidth, "fabric_latency": "300ns", "nic_latency": nic_latency,
            "fabric_radix": radix, "fabric_oversubscription": oversubscription}


A100 = (2.88768, 108)    # 1410 MHz x 2048 FLOP per cycle of an SM (NVIDIA A100 whitepaper)
H100 = (7.49568, 132)    # 1830 MHz x 4096 (NVIDIA H100 whitepaper)
V100 = (1.56672, 80)     # 1530 MHz x 1024 (NVIDIA V100 whitepaper)
MI300X = (4.3008, 304)   # 2100 MHz x 2048 (AMD CDNA 3 whitepaper)
ROME = (36, 64)          # 2.25 GHz x 16 FLOP per cycle of fp64, EPYC 7742
SAPPHIRE_RAPIDS = (64, 56)  # 2.0 GHz x 32, Xeon Platinum 8480C


def nvswitch(name, text, fabric, device, gpu, memory, nvlink, per_switch, nics_per_switch, pcie, cpu, gpus=8):
    node = Node(name, text, fabric)
    for g in range(gpus):
        node.gpu(f"gpu{g}", device, *gpu, memory, f"nic{g * nics_per_switch // per_switch}")
    for g in range(gpus):
        node.link(f"nvlink{g}", nvlink, "250ns", "nvlink")
    add_pcie(node, gpus, per_switch, nics_per_switch, pcie, cpu)
    for a, b in pairs(gpus):
        node.route(f"gpu{a}", f"gpu{b}", f"+nvlink{a}", f"-nvlink{b}")
    return node


SWITCHED = """The NVSwitches never limit: each GPU has its own link into them and out of them."""
NODE_ASSUMED = f"""{ASSUMED};
41.6 GB/s between the CPUs, which are there for their links (speed: fp64)."""


def dgx_a100():
    return nvswitch("dgx-a100", f"""NVIDIA DGX A100: 8 A100 SXM4 80 GB; several are a cluster on rails.
        NVLink 3 of 600 GB/s in both directions together (A100 datasheet), 8 HDR cards of 200 Gb/s, one per GPU, PCIe 4.0, two GPUs
        and two cards to a switch, EPYC 7742 (DGX A100 user guide). {SWITCHED}
        Rails of 40-port HDR switches (DGX SuperPOD reference architecture, RA-10175): a leaf has card i of 20 nodes.
        The switches can reduce (SHARP).
        {NODE_ASSUMED} Also assumed: 1 us for a card and its link, 300 ns for a switch and a link.""",
                    rail("200Gbps", "1us", 40, fabric_in_switch_reduction="true"), "a100-sxm-80", A100, "2.039TBps", "300GBps",
                    2, 2, PCIE4, ROME)


def dgx_2():
    return nvswitch("dgx-2", f"""NVIDIA DGX-2: 16 V100 SXM3 32 GB; several are a cluster in a fat tree.
        NVLink 2 of 300 GB/s in both directions together (V100 datasheet), 8 EDR cards of 100 Gb/s, each for two GPUs at a PCIe 3.0
        switch, Xeon Platinum 8168 (DGX-2 user guide). {SWITCHED} DGX-2H is the same with more power. The GPUs are those of v100-sxm
        with twice the memory.
        {NODE_ASSUMED} Also assumed: non-blocking EDR switches of 36 ports, 1 us for a card and its link,
        300 ns for a switch and a link.""",
                    fat_tree("100Gbps", "1us", 36, assumed="radix and latencies of the fabric"), "v100-sxm", V100, "900GBps",
                    "150GBps", 2, 1, PCIE3, (86.4, 24), gpus=16)


def azure_nd_a100_v4():
    return nvswitch("azure-nd-a100-v4", f"""Azure ND A100 v4: 8 A100 SXM4 40 GB; several are a cluster on a fat tree.
        NVLink 3 of 600 GB/s in both directions together (A100 datasheet), 8 HDR cards, one per GPU, PCIe 4.0, two GPUs and two
        cards to a switch (Azure's NCCL topology file of the type). {SWITCHED}
        A card is of 200 Gb/s; all-reduces of 16 to 128 GPUs reach 132 Gb/s of it, which is what stands here
        (NetX-lab/Echo nccl-test-log@15f0d12; docs/validation.md).
        {NODE_ASSUMED} Also assumed: 1 us for a card and its link, 300 ns for a switch and a link, 40-port switches, adaptive routing.""",
                    {**fat_tree("132Gbps", "1us", 40), "routing": "spray"}, "a100-sxm-40", A100, "1.555TBps", "300GBps", 2, 2, PCIE4, ROME)


def dgx_hopper(name, title, device, memory, source):
    return nvswitch(name, f"""NVIDIA {title}; several are a cluster on rails.
        NVLink 4 of 900 GB/s in both directions together ({source}), with reductions in the switch (NVLS), 8 NDR cards of 400 Gb/s,
        one per GPU, PCIe 5.0, a switch for each GPU and its card, Xeon 8480C (DGX H100 user guide; PCIe as in Oracle's NCCL
        topology of its H100 node). {SWITCHED}
        Rails of 64-port NDR switches (DGX SuperPOD reference architecture, RA-11333): a leaf has card i of 32 nodes.
        The switches can reduce (SHARP).
        {NODE_ASSUMED} Also assumed: 1 us for a card and its link, 300 ns for a switch and a link.""",
                    rail("400Gbps", "1us", 64, in_switch_reduction="true", fabric_in_switch_reduction="true"), device, H100, memory,
                    "450GBps", 1, 1, PCIE5, SAPPHIRE_RAPIDS)


def aws_p4(name, device, memory, which):
    return nvswitch(name, f"""AWS {which}; several are a cluster in a fat tree.
        NVLink 3 of 600 GB/s in both directions together (A100 datasheet). 4 EFA cards of 100 Gb/s, 400 Gb/s in all (AWS, EC2 P4
        instances), so two GPUs share one; PCIe of 8 GT/s x16, two GPUs and a card to a switch (AWS's NCCL topology, aws-ofi-nccl
        topology/p4de-24xl-topo.xml), Xeon 8275CL. {SWITCHED} EFA's SRD sprays over the paths (Shalev et al., IEEE Micro 2020).
        {NODE_ASSUMED} Also assumed: non-blocking switches of 64 ports, 4 us for a card and its link,
        300 ns for a switch and a link: AWS publishes none of them.""",
                    {**fat_tree("100Gbps", "4us", 64, assumed="radix and latencies of the fabric"), "routing": "spray"},
                    device, A100, memory, "300GBps", 2, 1, PCIE3, (96, 24))


def aws_p5():
    return nvswitch("aws-p5", f"""AWS p5.48xlarge: 8 H100 SXM5; several are a cluster in a fat tree.
        NVLink 4 of 900 GB/s in both directions together (H100 datasheet), with reductions in the switch (NVLS). EFA of 3200 Gb/s in
        32 cards of 100 Gb/s (AWS, EC2 P5 instances): the four cards of a GPU are one of 400 Gb/s here. EPYC 7R13.
        {SWITCHED} EFA's SRD sprays over the paths (Shalev et al., IEEE Micro 2020).
        {NODE_ASSUMED} Also assumed: PCIe 5.0, a switch for each GPU and its cards; non-blocking
        switches of 64 ports, 10 us for a card and its link, which small
        all-reduces of 16 GPUs take (docs/validation.md), 300 ns for a switch and a link: AWS publishes none of them.""",
                    {**fat_tree("400Gbps", "10us", 64, assumed="radix and latencies of the fabric"), "routing": "spray",
                     "in_switch_reduction": "true", "assumed": "latencies in the node, links between CPUs, PCIe"}, "h100-sxm", H100,
                    "3.35TBps", "450GBps", 1, 1, PCIE5, (42.4, 48))


def mi300x():
    node = Node("mi300x", f"""8 AMD MI300X, all connected by xGMI; several are a cluster on rails.
        A link of 64 GB/s per direction between any two GPUs, 448 GB/s per GPU in all (AMD MI300X platform datasheet); a ring or an
        all-reduce between two of them reaches 48 GB/s (stas00/ml-engineering). 8 cards of 400 Gb/s, one per GPU, PCIe 5.0, a switch
        for each GPU and its card (RCCL's topology topo_8p_940.xml); Xeon 8480C, as that file's CPU model.
        {NODE_ASSUMED} Also assumed: rails of 64-port switches, 1 us for a card and its link, 300 ns
        for a switch and a link.""", rail("400Gbps", "1us", 64, assumed="rails, radix and latencies of the fabric"))
    for g in range(8):
        node.gpu(f"gpu{g}", "mi300x", *MI300X, "5.3TBps", f"nic{g}")
    for a, b in pairs(8):
        node.link(f"xgmi{a}-{b}", "64GBps", "500ns", "xgmi")
    add_pcie(node, 8, 1, 1, PCIE5, SAPPHIRE_RAPIDS)
    for a, b in pairs(8):
        node.route(f"gpu{a}", f"gpu{b}", f"+xgmi{a}-{b}")
    return node


def cube_mesh(node, nic_of):
    """8 V100 with their NVLinks; `nic_of` names the card of a GPU."""
    bricks = {(0, 1): 1, (0, 2): 1, (0, 3): 2, (0, 4): 2, (1, 2): 2, (1, 3): 1, (1, 5): 2, (2, 3): 2, (2, 6): 1, (3, 7): 1,
              (4, 5): 1, (4, 6): 1, (4, 7): 2, (5, 6): 2, (5, 7): 1, (6, 7): 2}
    for g in range(8):
        node.gpu(f"gpu{g}", "v100-sxm", *V100, "900GBps", nic_of(g))
    for (a, b), count in bricks.items():
        node.link(f"nvlink{a}-{b}", f"{25 * count}GBps", "500ns", "nvlink")
    width = lambda a, b: bricks.get((min(a, b), max(a, b)), 0)
    step = lambda a, b: f"+nvlink{a}-{b}" if a < b else f"-nvlink{b}-{a}"
    ways = []
    for a, b in pairs(8):
        if width(a, b):
            ways.append((f"gpu{a}", f"gpu{b}", step(a, b)))
        else:
            via = max(range(8), key=lambda m: (min(width(a, m), width(m, b)), -m))
            ways.append((f"gpu{a}", f"gpu{b}", step(a, via), step(via, b)))
    return ways


def v100_cube():
    node = Node("v100-cube", f"""8 NVIDIA V100 SXM2 in a hybrid cube mesh, as in DGX-1; several are a cluster in a fat tree.
        6 NVLink 2 bricks of 25 GB/s per direction per GPU, one or two to each of four neighbours (nvidia-smi topo of a DGX-1V,
        microsoft/msccl-tools), 4 EDR cards of 100 Gb/s, each with two GPUs at a PCIe 3.0 switch, Xeon E5-2698 v4 (DGX-1 user guide).
        GPUs without a link to each other go over the neighbour of both whose narrower link is the wider, the first of equals: two
        links of NVLink. The hardware does not forward; a library that stages the data there does, at the cost of memory traffic that
        is not counted here.
        {NODE_ASSUMED} Also assumed: non-blocking EDR switches of 36 ports, 1 us for a card and its
        link, 300 ns for a switch and a link.""", fat_tree("100Gbps", "1us", 36, assumed="radix and latencies of the fabric"))
    ways = cube_mesh(node, lambda g: f"nic{g // 2}")
    add_pcie(node, 8, 2, 1, PCIE3, (35.2, 20))
    for way in ways:
        node.route(*way)
    return node


def aws_p3dn():
    node = Node("aws-p3dn", f"""AWS p3dn.24xlarge: 8 V100 SXM2 in a hybrid cube mesh, as in v100-cube, and one card of 100 Gb/s for all of them
        (AWS, EC2 P3 instances); several are around a fat tree. The GPUs are those of v100-sxm with twice the memory. The card is at
        the first CPU's bus; Xeon Platinum 8175.
        {NODE_ASSUMED} Also assumed: the place of the card, PCIe 3.0 with two GPUs to a switch,
        non-blocking switches of 64 ports, 4 us for a card and its link, 300 ns for a switch and a link: AWS publishes none of them.""",
                {**fat_tree("100Gbps", "4us", 64, assumed="radix and latencies of the fabric"), "routing": "spray",
                 "assumed": "latencies in the node, links between CPUs, PCIe"})
    ways = cube_mesh(node, lambda g: "nic0")
    for c in range(2):
        node.cpu(f"cpu{c}", 80, 24, "nic0")
    node.router("nic0")
    for g in range(8):
        node.link(f"gpu{g}-pcie", PCIE3, "300ns", "pcie")
    node.link("nic0-pcie", PCIE3, "300ns", "pcie")
    for s in range(4):
        node.link(f"switch{s}-cpu", PCIE3, "300ns", "pcie")
    node.link("cpu0-cpu1", "41.6GBps", "500ns", "other")
    for g in range(8):
        up = [f"+gpu{g}-pcie", f"+switch{g // 2}-cpu"]
        for c in range(2):
            across = [] if c == g // 4 else ["+cpu0-cpu1" if c else "-cpu0-cpu1"]
            node.route(f"gpu{g}", f"cpu{c}", *up, *across)
        node.route(f"gpu{g}", "nic0", *up, *([] if g < 4 else ["-cpu0-cpu1"]), "-nic0-pcie")
    node.route("cpu0", "nic0", "-nic0-pcie")
    node.route("cpu1", "nic0", "-cpu0-cpu1", "-nic0-pcie")
    node.route("cpu0", "cpu1", "+cpu0-cpu1")
    for way in ways:
        node.route(*way)
    return node


def pcie_box():
    node = Node("pcie-box", f"""8 NVIDIA A100 PCIe 80 GB without NVLink; several are around one switch.
        PCIe 4.0 x16, four GPUs and a card to a switch, a switch to a CPU. Between the halves all traffic crosses two switches' links to
        their CPUs and the link between these. No product: the arrangement, the cards of 200 Gb/s and EPYC 7742 CPUs are assumed.
        {NODE_ASSUMED} Also assumed: 1 us for a card and its link.""",
                {"assumed": "all but the GPUs and the rate of PCIe", "fabric_assumed": "the fabric", "fabric": "switch",
                 "fabric_bandwidth": "200Gbps", "fabric_latency": "1us"})
    for g in range(8):
        node.gpu(f"gpu{g}", "a100-pcie-80", *A100, "1.935TBps", f"nic{g // 4}")
    add_pcie(node, 8, 4, 1, PCIE4, ROME)
    for a, b in pairs(8):
        if a // 4 == b // 4:
            node.route(f"gpu{a}", f"gpu{b}", f"+gpu{a}-pcie", f"-gpu{b}-pcie")
        else:
            node.route(f"gpu{a}", f"gpu{b}", f"+gpu{a}-pcie", "+switch0-cpu", "+cpu0-cpu1", "-switch1-cpu", f"-gpu{b}-pcie")
    return node


def lassen():
    node = Node("lassen", """A node of Lassen (LLNL), IBM AC922: 2 POWER9 and 4 V100 SXM2 16 GB; several are a fat tree.
        NVLink 2: three bricks of 25 GB/s per direction, 75 GB/s, between the two GPUs of a CPU and from each of them to it; 64 GB/s
        between the CPUs; each CPU has an EDR card of 100 Gb/s at PCIe 4.0 x8 (IBM Power System AC922 technical overview, REDP-5494).
        POWER9 of 22 cores at 3.45 GHz x 8 FLOP per cycle (fp64).
        Assumed: 500 ns per link of NVLink or a bus and 300 ns per link of PCIe; 36-port EDR switches with a 2:1 taper, as Sierra has
        (Vazhkudai et al., SC 2018); 1 us for a card and its link, 300 ns for a switch and a link.""",
                {**fat_tree("100Gbps", "1us", 36, 2, assumed="taper, radix and latencies of the fabric"),
                 "assumed": "latencies in the node"})
    for g in range(4):
        node.gpu(f"gpu{g}", "v100-sxm", *V100, "900GBps", f"nic{g // 2}")
    for c in range(2):
        node.cpu(f"cpu{c}", 27.6, 22, f"nic{c}")
    for c in range(2):
        node.router(f"nic{c}")
    for c in range(2):
        node.link(f"nvlink{2 * c}-{2 * c + 1}", "75GBps", "500ns", "nvlink")
    for g in range(4):
        node.link(f"gpu{g}-cpu", "75GBps", "500ns", "nvlink")
    for c in range(2):
        node.link(f"nic{c}-cpu", PCIE4_X8, "300ns", "pcie")
    node.link("cpu0-cpu1", "64GBps", "500ns", "other")
    between = lambda a, b: [] if a == b else ["+cpu0-cpu1" if a < b else "-cpu0-cpu1"]
    for a, b in pairs(4):
        if a // 2 == b // 2:
            node.route(f"gpu{a}", f"gpu{b}", f"+nvlink{a}-{b}")
        else:
            node.route(f"gpu{a}", f"gpu{b}", f"+gpu{a}-cpu", "+cpu0-cpu1", f"-gpu{b}-cpu")
    for g in range(4):
        node.route(f"gpu{g}", f"nic{g // 2}", f"+gpu{g}-cpu", f"-nic{g // 2}-cpu")
        for c in range(2):
            node.route(f"gpu{g}", f"cpu{c}", f"+gpu{g}-cpu", *between(g // 2, c))
    for c in range(2):
        node.route(f"cpu{c}", f"nic{c}", f"-nic{c}-cpu")
    node.route("cpu0", "cpu1", "+cpu0-cpu1")
    return node


NODES = {
    "dgx-2": dgx_2,
    "dgx-a100": dgx_a100,
    "dgx-h100": lambda: dgx_hopper("dgx-h100", "DGX H100: 8 H100 SXM5 80 GB", "h100-sxm", "3.35TBps", "H100 datasheet"),
    "dgx-h200": lambda: dgx_hopper("dgx-h200", "DGX H200: 8 H200 SXM5 141 GB", "h200-sxm", "4.8TBps", "H200 datasheet"),
    "azure-nd-a100-v4": azure_nd_a100_v4,
    "aws-p3dn": aws_p3dn,
    "aws-p4d": lambda: aws_p4("aws-p4d", "a100-sxm-40", "1.555TBps", "p4d.24xlarge: 8 A100 SXM4 40 GB"),
    "aws-p4de": lambda: aws_p4("aws-p4de", "a100-sxm-80", "2.039TBps", "p4de.24xlarge: 8 A100 SXM4 80 GB"),
    "aws-p5": aws_p5,
    "mi300x": mi300x,
    "v100-cube": v100_cube,
    "pcie-box": pcie_box,
    "lassen": lassen,
}

parser = argparse.ArgumentParser(description="SimGrid platform of a node type and its usual fabric, to standard output")
parser.add_argument("name", nargs="?", choices=NODES)
arguments = parser.parse_args()
if arguments.name is None:
    print("\n".join(NODES))
else:
    NODES[arguments.name]().print()
