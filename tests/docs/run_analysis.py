# Runs the Python of docs/analysis.md, one block after the other, in a folder where its sweep has run.
"""Usage: run_analysis.py ROOT TANDEM. Starts Debian's python3, which has pandas and matplotlib, where the one at hand has not."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DEBIAN = "/usr/bin/python3"


def main():
    root, tandem = pathlib.Path(sys.argv[1]).resolve(), os.path.abspath(sys.argv[2])
    page = (root / "docs" / "analysis.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    commands = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "build"))
        for name in ("workloads", "platforms"):
            os.symlink(root / name, os.path.join(folder, name))
        for line in "".join(commands).splitlines():
            words = line.split()
            subprocess.run([tandem if words[0] == "build/tandem" else words[0], *words[1:]], cwd=folder, check=True)
        result = subprocess.run([DEBIAN, "-c", "\n".join(blocks)], cwd=folder, capture_output=True, text=True, check=False,
                                env={**os.environ, "MPLCONFIGDIR": folder})
        print(result.stdout + result.stderr)
        picture = os.path.join(folder, "build", "analysis.png")
        if result.returncode != 0 or not os.path.exists(picture) or os.path.getsize(picture) < 5000:
            sys.exit("the analysis fails, or leaves no picture")


if __name__ == "__main__":
    main()
