"""Pictures of the documents are what their script makes: check_pictures.py REPOSITORY TANDEM."""

import pathlib
import subprocess
import sys
import tempfile

repository, tandem = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
kept = {file.name: file.read_bytes() for file in (repository / "docs/pictures").iterdir()}
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([repository / "scripts/pictures.sh", folder, tandem], check=True)
    made = {file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()}
different = sorted(name for name in kept.keys() | made.keys() if kept.get(name) != made.get(name))
if different or not made:
    sys.exit(f"{', '.join(different)} in docs/pictures: not what scripts/pictures.sh makes; run it, look at them, and keep them")
