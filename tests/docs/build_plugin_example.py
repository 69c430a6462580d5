# Installs Tandem below a temporary folder, builds docs/plugin_example against it, and runs it there, as a user would.
"""Usage: build_plugin_example.py ROOT BUILD CMAKE."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT, BUILD, CMAKE = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]


def call(*words, **options):
    """Standard output; stops the test with all output when the command fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def times(text):
    """Time by strategy of a result with one size."""
    return {row["strategy"]: row["time_us"] for row in json.loads(text)["rows"]}


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix, built = folder / "prefix", folder / "build"
        call(CMAKE, "--install", BUILD, "--prefix", prefix)
        call(CMAKE, "-S", ROOT / "docs/plugin_example", "-B", built, f"-DCMAKE_PREFIX_PATH={prefix}")
        call(CMAKE, "--build", built)
        tandem, plugin = prefix / "bin/tandem", "./two_way_ring.so"
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TANDEM_")}
        said = call(tandem, "list", "strategies", "--plugin", plugin, cwd=built, env=environment)
        assert said.startswith("./two_way_ring.so  (two-way-ring)\n"), said
        assert "t3-ring-8.xml" in call(tandem, "list", "platforms", cwd=built, env=environment)
        platform = prefix / "share/tandem/platforms/t3-ring-8.xml"
        # 8 GPUs in a ring, as much in either direction: half the time, but for latency and launches.
        result = times(call(tandem, "collective", "allreduce", "--platform", platform, "-b", "256M", "-e", "256M", "--strategy",
                            "ring", "--strategy", f"{plugin}:sms=0", "--format", "json", cwd=built, env=environment))
        ratio = result[f"{plugin}:sms=0"] / result["ring"]
        assert 0.5 <= ratio < 0.55, result
        compared = json.loads(call(tandem, "compare", prefix / "share/tandem/workloads/t3.yaml", "--only", "model=T-NLG", "--only",
                                   "tp=8", "--only", "sublayer=FC-2", "--strategy", "sequential", "--strategy", plugin, "--format",
                                   "json", cwd=built, env=environment))
        assert compared["cases"][1]["speedup"] > 1.0, compared["cases"][1]
        assert plugin in compared["inputs"], compared["inputs"]
        print(f"installed, built and run; two-way-ring takes {ratio:.3f} of a ring's time")


if __name__ == "__main__":
    main()
