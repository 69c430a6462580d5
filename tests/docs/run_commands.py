# Runs every command that README.md and docs/*.md show, from the root of the repository, and compares its exit code with what is promised.
"""Usage: run_commands.py ROOT TANDEM. TANDEM takes the place of `build/tandem`.

Commands: each line of a ```sh block, and each line that begins with "$ " in a ```console block. A trailing "# exit N" says which exit
code is right; without it 0 is. A line that ends in a backslash goes on. Blocks of any other kind are not run, nor are the commands of
NOT_RUN, which build or test the project itself.
"""
import os
import pathlib
import re
import subprocess
import sys

NOT_RUN = re.compile(r"^(\./)?(scripts/(try|check|install_deps)\.sh|\.ci/run|cmake|ctest|ninja|git|cd|sudo|apt-get)\b")
EXIT = re.compile(r"\s+# exit (\d+)\s*$")
SECONDS = 300


def commands(text):
    """Yields (line number, command) for every runnable line of a Markdown text."""
    kind, pending, start = None, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            kind = stripped[3:].strip() if kind is None else None
            continue
        if pending:
            piece = stripped
        elif kind == "sh" and stripped and not stripped.startswith("#"):
            piece, start = stripped, number
        elif kind == "console" and stripped.startswith("$ "):
            piece, start = stripped[2:].strip(), number
        else:
            continue
        pending += piece
        if pending.endswith("\\"):
            pending = pending[:-1]
        else:
            yield start, pending
            pending = ""


def run(command, root, tandem):
    """Returns None when all is well, else what went wrong."""
    match = EXIT.search(command)
    wanted = int(match.group(1)) if match else 0
    line = re.sub(r"(?<![\w/.])(\./)?build/tandem(?![\w/.-])", lambda _: f'"{tandem}"', EXIT.sub("", command))
    try:
        result = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=root, capture_output=True, text=True, timeout=SECONDS,
                                check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"ran longer than {SECONDS} s"
    if result.returncode != wanted:
        return f"exit {result.returncode}, promised {wanted}\n{result.stdout[-1000:]}{result.stderr[-1000:]}"
    return None


def main():
    root, tandem = pathlib.Path(sys.argv[1]), os.path.abspath(sys.argv[2])
    failures = ran = 0
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        if not page.exists():
            continue
        for number, command in commands(page.read_text(encoding="utf-8")):
            if NOT_RUN.match(command):
                continue
            ran += 1
            wrong = run(command, root, tandem)
            if wrong:
                failures += 1
                print(f"{page.relative_to(root)}:{number}: {command}\n  {wrong}")
    print(f"{ran} commands run, {failures} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
