# Runs a study as a job array of a Slurm cluster of two nodes on loopback, kills a task, drains a node, and compares with a local run.
"""Usage: run_array.py ROOT TANDEM. Needs root, and munged, slurmctld and slurmd (slurm-wlm) installed; a missing one fails the test."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TASKS = 20
SECONDS = 170

STUDY = """title: twenty all-reduces
command: collective
axes:
  strategy: [ring, tree, halving-doubling, "ring:channels=2"]
  maxbytes: [16K, 32K, 64K, 128K, 256K]
fixed: {operation: allreduce, platform: PLATFORM}
"""

CONF = """ClusterName=tandem
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MpiDefault=none
JobRequeue=0
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port1} CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port2} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """Ports that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def until(what, question, seconds=40):
    """Waits until question() holds."""
    end = time.monotonic() + seconds
    while not question():
        if time.monotonic() > end:
            raise RuntimeError(f"waited {seconds} s for {what}")
        time.sleep(0.1)


class Cluster:
    """munged, slurmctld and two slurmd, all in one folder and ended with it."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        host = socket.gethostname().split(".")[0]
        port, port1, port2 = free_ports(3)
        (folder / "state").mkdir()
        (folder / "slurm.conf").write_text(CONF.format(host=host, folder=folder, port=port, port1=port1, port2=port2))
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
                   f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")
        until("munged", (folder / "munge.socket").exists)
        self.start("slurmctld", "-D")
        for node in ("n1", "n2"):
            self.start("slurmd", "-D", "-N", node)
        until("two idle nodes", lambda: self.say("sinfo", "-h", "-N", "-o", "%T").split() == ["idle", "idle"])

    def start(self, *words):
        log = open(self.folder / f"{words[0]}-{len(self.daemons)}.log", "w", encoding="utf-8")
        self.daemons.append(subprocess.Popen(words, env=self.environment, stdout=log, stderr=log, start_new_session=True))

    def say(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False, timeout=30).stdout

    def end(self):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()


def sweep(tandem, folder, environment, *words):
    return subprocess.Popen([tandem, "sweep", "study.yaml", *words], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def run(cluster, root, tandem):
    folder = cluster.folder
    (folder / "study.yaml").write_text(STUDY.replace("PLATFORM", str(root / "platforms" / "t3-ring-8.xml")))
    local = sweep(tandem, folder, cluster.environment, "--store", "local.sqlite", "-o", "local.csv")
    if local.wait(SECONDS) != 0:
        raise RuntimeError("the local run fails: " + local.stderr.read())
    words = ("--slurm", "--array-size", str(TASKS), "--partition", "all", "--store", "slurm.sqlite", "-o", "slurm.csv")
    first = sweep(tandem, folder, cluster.environment, *words)
    until("two running tasks", lambda: len(cluster.say("squeue", "-h", "-r", "-t", "running", "-o", "%i").split()) >= 2)
    running = cluster.say("squeue", "-h", "-r", "-t", "running", "-o", "%i").split()
    cluster.say("scancel", "--signal=KILL", "--full", running[0])
    cluster.say("scancel", running[0])
    cluster.say("scontrol", "update", "nodename=n2", "state=drain", "reason=test")
    # Interrupted, the array goes on, and the same command follows it again.
    first.send_signal(signal.SIGINT)
    if first.wait(60) != 130:
        raise RuntimeError(f"interrupted, it exits with {first.returncode}: {first.stderr.read()}")
    second = sweep(tandem, folder, cluster.environment, *words)
    if second.wait(SECONDS) != 0:
        raise RuntimeError("the followed run fails: " + second.stderr.read())
    print(first.stderr.read() + second.stderr.read())
    if (folder / "slurm.csv").read_bytes() != (folder / "local.csv").read_bytes():
        raise RuntimeError("the array's bytes are not those of the local run")
    states = cluster.say("sinfo", "-h", "-N", "-o", "%N %T").split("\n")
    print(f"{TASKS} tasks, {running[0]} killed, nodes {states}: same bytes as a local run")


def main():
    root, tandem = pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(sys.argv[2])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tandem-slurm-"))
    folder.chmod(0o755)
    cluster = None
    try:
        cluster = Cluster(folder)
        run(cluster, root, tandem)
    finally:
        if cluster:
            cluster.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
