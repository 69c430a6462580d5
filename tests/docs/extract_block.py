# Copies the first block of a kind from a Markdown file, so that what a document shows is what is compiled.
"""Usage: extract_block.py MARKDOWN KIND OUTPUT."""
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
found = re.search(r"^```" + re.escape(sys.argv[2]) + r"\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
if found is None:
    sys.exit(f"{sys.argv[1]}: no block of kind {sys.argv[2]}")
output = pathlib.Path(sys.argv[3])
output.parent.mkdir(parents=True, exist_ok=True)
output.write_text(found.group(1), encoding="utf-8")
