"""Pictures of the documents are what their script makes: check_pictures.py REPOSITORY TANDEM."""

import pathlib
import subprocess
import sys
import tempfile

repository, tandem = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
kept = repository / "docs/pictures/strategies-compute-link.svg"
with tempfile.TemporaryDirectory() as folder:
    made = pathlib.Path(folder) / "picture.svg"
    subprocess.run([repository / "scripts/picture.sh", made, tandem], check=True)
    if made.read_bytes() != kept.read_bytes():
        sys.exit(f"{kept} is not what scripts/picture.sh makes; run it, look at the picture, and keep it")
