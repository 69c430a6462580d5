"""Pictures of the documents are what their script makes, and tables of docs/studies.md what the same runs give: check_pictures.py REPOSITORY TANDEM."""

import pathlib
import subprocess
import sys
import tempfile

from study_tables import stale

repository, tandem = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
kept = {file.name: file.read_bytes() for file in (repository / "docs/pictures").iterdir()}
with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as stores:
    subprocess.run([repository / "scripts/pictures.sh", folder, tandem, stores], check=True)
    made = {file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()}
    tables = stale((repository / "docs/studies.md").read_text(encoding="utf-8"), pathlib.Path(stores))
complaints = [f"{title} in docs/studies.md: the study gives\n{lines}" for title, lines in tables.items()]
different = sorted(name for name in kept.keys() | made.keys() if kept.get(name) != made.get(name))
if different or not made:
    complaints.append(f"{', '.join(different)} in docs/pictures: not what scripts/pictures.sh makes; run it, look at them, and keep them")
sys.exit("\n\n".join(complaints) or None)
