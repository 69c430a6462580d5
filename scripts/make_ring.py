#!/usr/bin/env python3
# Writes the ring platforms of T3's evaluation: make_ring.py COUNT [--twice-the-compute] > platforms/t3-ring-COUNT.xml
import argparse

parser = argparse.ArgumentParser(description="SimGrid platform of COUNT T3 GPUs in a ring, to standard output")
parser.add_argument("count", type=int, help="GPUs, 2 or more")
parser.add_argument("--twice-the-compute", action="store_true", help="T3's GPU-2X-CU: 160 CUs")
arguments = parser.parse_args()
if arguments.count < 2:
    parser.error("a ring has 2 GPUs or more")
count = arguments.count
device, cores = ("t3-gpu-2x-cu", 160) if arguments.twice_the_compute else ("t3-gpu", 80)

# With two GPUs the left and the right neighbour are the same: one link each way.
pairs = [(i, (i + 1) % count) for i in range(count)]
pairs = sorted(set(pairs) | {(b, a) for a, b in pairs})

print(f"""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- {count} GPUs of the T3 paper in a ring (Pati et al., ASPLOS 2024, arXiv 2401.16677): {cores} CUs at 1.4 GHz, HBM2 of 1 TB/s,
     links of 150 GB/s per direction and 500 ns. The paper calls the ring's 150 GB/s bi-directional; read per direction, the gain
     of the near-memory reduction alone agrees with the paper's.
     A CU does 1.4 GHz x 1024 FLOP per cycle = 1.4336 TFLOP/s in fp16.
     Written by scripts/make_ring.py. -->
<platform version="4.1">
  <zone id="t3-ring-{count}{'-2x-cu' if arguments.twice_the_compute else ''}" routing="Floyd">""")
for i in range(count):
    print(f"""    <host id="gpu{i}" speed="1.4336Tf" core="{cores}">
      <disk id="hbm" read_bw="1TBps" write_bw="1TBps"/>
      <prop id="device" value="{device}"/>
    </host>""")
for a, b in pairs:
    print(f'    <link id="gpu{a}-gpu{b}" bandwidth="150GBps" latency="500ns"/>')
for a, b in pairs:
    print(f'    <route src="gpu{a}" dst="gpu{b}" symmetrical="NO"><link_ctn id="gpu{a}-gpu{b}"/></route>')
print("""  </zone>
</platform>""")
