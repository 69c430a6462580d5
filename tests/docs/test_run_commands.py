# Tests run_commands.py itself on little pages: what counts as a command, and that a command that does not keep its promise is caught.
import pathlib
import subprocess
import sys
import tempfile

RUN = pathlib.Path(__file__).with_name("run_commands.py")
# Page, exit code of run_commands.py, last line of its output. `build/tandem` is /bin/echo here.
CASES = [
    ("no commands\n", 0, "0 commands run, 0 failed"),
    ("```console\n$ build/tandem a\na\n$ build/tandem b | grep -q b\n```\n", 0, "2 commands run, 0 failed"),
    ("```sh\n# a remark\nbuild/tandem a \\\n  b\n\n./build/tandem c\n```\n", 0, "2 commands run, 0 failed"),
    ("```console\n$ false\n```\n", 1, "1 commands run, 1 failed"),
    ("```console\n$ (exit 2)  # exit 2\n```\n", 0, "1 commands run, 0 failed"),
    ("```console\n$ build/tandem a  # exit 2\n```\n", 1, "1 commands run, 1 failed"),
    ("```console\n$ false | cat\n```\n", 1, "1 commands run, 1 failed"),
    ("```text\n$ false\n```\n\n```yaml\nfalse\n```\n", 0, "0 commands run, 0 failed"),
    ("```sh\nscripts/check.sh\ncmake --preset release\n./scripts/try.sh\n```\n", 0, "0 commands run, 0 failed"),
]


def main():
    failures = []
    for page, wanted, last in CASES:
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "README.md").write_text(page, encoding="utf-8")
            result = subprocess.run([sys.executable, RUN, folder, "/bin/echo"], capture_output=True, text=True, check=False)
        if result.returncode != wanted or result.stdout.splitlines()[-1:] != [last]:
            failures.append(f"{page!r}: exit {result.returncode}, {result.stdout}{result.stderr}")
    print("\n".join(failures) if failures else f"{len(CASES)} pages as expected")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
