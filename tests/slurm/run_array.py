# Runs a study as a job array of a Slurm cluster of three nodes on loopback, kills a task, drains a node, lets another die, and compares
# with a local run.
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
SlurmdTimeout=10
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port1} CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port2} CPUs=1 State=UNKNOWN
NodeName=n3 NodeHostname={host} NodeAddr=127.0.0.1 Port={port3} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2,n3 Default=YES MaxTime=INFINITE State=UP
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
    """munged, slurmctld and three slurmd, all in one folder and ended with it."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        host = socket.gethostname().split(".")[0]
        port, port1, port2, port3 = free_ports(4)
        (folder / "state").mkdir()
        (folder / "slurm.conf").write_text(CONF.format(host=host, folder=folder, port=port, port1=port1, port2=port2, port3=port3))
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
                   f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")
        until("munged", (folder / "munge.socket").exists)
        self.start("slurmctld", "-D")
        self.nodes = {node: self.start("slurmd", "-D", "-N", node) for node in ("n1", "n2", "n3")}
        until("three idle nodes", lambda: self.say("sinfo", "-h", "-N", "-o", "%T").split() == ["idle"] * 3)

    def start(self, *words):
        log = open(self.folder / f"{words[0]}-{len(self.daemons)}.log", "w", encoding="utf-8")
        self.daemons.append(subprocess.Popen(words, env=self.environment, stdout=log, stderr=log, start_new_session=True))
        return self.daemons[-1]

    def tasks_on(self, node):
        """Processes of this cluster's jobs on the node: {pid: number of the array's task}."""
        found = {}
        for entry in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                words = dict(line.split("=", 1) for line in entry.read_bytes().decode(errors="replace").split("\0") if "=" in line)
            except OSError:  # it has ended
                continue
            if words.get("SLURMD_NODENAME") == node and words.get("SLURM_CONF") == self.environment["SLURM_CONF"]:
                found[int(entry.parent.name)] = words.get("SLURM_ARRAY_TASK_ID")
        return found

    def die(self, node):
        """Ends a node in the middle of a task, as a power cut would: its daemon, the job's daemon and the task. Returns the lost task."""
        caught = {}

        def is_caught():  # stopped, it cannot end before it is killed
            for pid, task in self.tasks_on(node).items():
                try:
                    os.kill(pid, signal.SIGSTOP)
                    state, parent = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[:2]
                except OSError:  # it has ended
                    continue
                if state in "Tt":
                    caught[pid] = (int(parent), task)
            return bool(caught)

        until(f"a task on {node}", is_caught)
        self.nodes[node].kill()
        for parent, _ in caught.values():
            name = pathlib.Path(f"/proc/{parent}/cmdline")
            if name.exists() and b"slurmstepd" in name.read_bytes():
                os.kill(parent, signal.SIGKILL)
        for pid in self.tasks_on(node):
            os.kill(pid, signal.SIGKILL)
        return next(iter(caught.values()))[1]

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
    lost = cluster.die("n3")
    on_others = ("squeue", "-h", "-r", "-t", "running", "-w", "n1,n2", "-o", "%i")
    running = []

    def is_running():
        running[:] = cluster.say(*on_others).split()
        return bool(running)

    until("a running task", is_running)
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
    states = dict(line.split() for line in cluster.say("sinfo", "-h", "-N", "-o", "%N %T").splitlines())
    if not states["n3"].startswith("down"):
        raise RuntimeError(f"the node that died is {states['n3']}")
    print(f"{TASKS} tasks, {running[0]} killed, {lost} lost with n3, nodes {states}: same bytes as a local run")


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
