# Negative control of check_layers.py: a small sound tree passes, and each kind of violation planted in it is refused by its own message.
import pathlib
import subprocess
import sys
import tempfile

CHECK = pathlib.Path(__file__).with_name("check_layers.py")
HEADER = "// What this file of the little tree is for.\n"
SOUND = {
    "src/base/units.h": HEADER,
    "src/model/kernel.h": HEADER + '#include "base/units.h"\n',
    "src/workload/read.cpp": HEADER + '#include "model/kernel.h"\n#include <vector>\n',
    "src/platform/read.h": HEADER,
    "src/engine/machine.cpp": HEADER + '#include <simgrid/s4u.hpp>\n#include "model/kernel.h"\n',
    "workloads/one.yaml": "# What this workload is for.\n",
}
# What is planted, and a piece of the message that must name it.
VIOLATIONS = [
    ({"src/base/bad.h": HEADER + '#include "model/kernel.h"\n'}, "base may not include"),
    ({"src/workload/bad.cpp": HEADER + '#include "platform/read.h"\n'}, "workload may not include"),
    ({"src/workload/bad.cpp": HEADER + "#include <simgrid/s4u.hpp>\n"}, "may know SimGrid"),
    ({"src/workload/bad.cpp": HEADER + "#  include <xbt/log.h>\n"}, "may know SimGrid"),
    ({"src/model/bad.h": HEADER + '#include "kernel.h"\n'}, "is no file below src"),
    ({"src/model/bad.h": HEADER + "#include <base/units.h>\n"}, "is our own"),
    ({"src/misc/bad.h": HEADER}, "not in a layer"),
    ({"src/model/a.h": HEADER + '#include "model/b.h"\n', "src/model/b.h": HEADER + '#include "model/a.h"\n'}, "include cycle"),
    ({"src/model/bad.h": "#pragma once\n"}, "first line must be a comment"),
    ({"src/model/bad.h": ""}, "first line must be a comment"),
    ({"scripts/bad.sh": "#!/usr/bin/env bash\nset -e\n"}, "first line must be a comment"),
    ({"workloads/bad.yaml": "title: none\n"}, "first line must be a comment"),
    ({"src/model/bad.h": HEADER + "\n" * 400}, "above 400"),
    ({"src/model/string_util.h": HEADER}, "'util' in a file name"),
    ({"tests/model/test_helper.cpp": HEADER}, "'helper' in a file name"),
]


def run_on(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)


def main():
    failures = []
    sound = run_on(SOUND)
    if sound.returncode != 0:
        failures.append(f"the sound tree was refused: {sound.stdout}{sound.stderr}")
    for planted, message in VIOLATIONS:
        result = run_on({**SOUND, **planted})
        lines = result.stdout.splitlines()
        if result.returncode != 1 or len(lines) != 1 or message not in lines[0]:
            failures.append(f"{list(planted)} should be refused with '{message}', got exit {result.returncode}: {result.stdout}{result.stderr}")
    print("\n".join(failures) if failures else f"{len(VIOLATIONS)} violations refused")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
