# Checks the shape of a source tree: which folder may include which, who may include SimGrid, first lines, sizes and names of files.
"""Usage: check_layers.py ROOT. Prints one line per violation; exits 1 when there is any."""
import pathlib
import re
import sys

# Includes point to a lower level or stay in the folder; folders of one level are neighbours and never see each other.
LEVELS = {"base": 0, "model": 1, "platform": 2, "workload": 2, "collective": 2, "engine": 3, "report": 3, "study": 4, "app": 5}
SIMGRID_FOLDERS = {"engine"}
MAX_LINES = 400
BANNED_WORDS = {"util", "utils", "helper", "helpers", "manager", "impl"}
CHECKED_FOLDERS = ("src", "tests", "scripts", "cmake", "workloads")
UNCHECKED_FOLDERS = {"data", "corpus", "__pycache__"}  # inputs that tests read, hostile ones among them
COMMENT_OF = {".h": "//", ".cpp": "//", ".py": "#", ".sh": "#", ".cmake": "#", ".yaml": "#", ".txt": "#"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def check_file(path, shown, lines):
    """Rules that hold for any file: its first line, its length, its name."""
    comment = COMMENT_OF.get(path.suffix)
    first = lines[0] if lines else ""
    if first.startswith("#!"):
        first = lines[1] if len(lines) > 1 else ""
    if comment and (path.suffix != ".txt" or path.name == "CMakeLists.txt"):
        openings = (comment, '"""') if path.suffix == ".py" else (comment,)
        if not first.startswith(openings) or len(first.strip('/#" ')) < 10:
            yield f"{shown}:1: the first line must be a comment that says what the file is for"
    if len(lines) > MAX_LINES and path.suffix != ".csv":  # a table of measurements is as long as what was measured
        yield f"{shown}: {len(lines)} lines; above {MAX_LINES} a file is asking to be two"
    banned = BANNED_WORDS & set(path.stem.lower().split("_"))
    if banned:
        yield f"{shown}: '{banned.pop()}' in a file name says nothing about what is inside"


def check_includes(folder, shown, text, root):
    """Rules for a source file of layer `folder`."""
    for bracket, target in INCLUDE.findall(text):
        head = target.split("/")[0]
        if head in ("simgrid", "xbt") or target.startswith("simgrid"):
            if folder not in SIMGRID_FOLDERS:
                yield f"{shown}: includes <{target}>; only {', '.join(sorted(SIMGRID_FOLDERS))} may know SimGrid"
        elif bracket == '"':
            if not (root / "src" / target).is_file():
                yield f'{shown}: "{target}" is no file below src; write "folder/file.h"'
            elif head != folder and LEVELS[head] >= LEVELS[folder]:
                yield f'{shown}: {folder} may not include "{target}"; includes point to lower layers only'
        elif head in LEVELS and "/" in target:
            yield f'{shown}: <{target}> is our own; write "{target}"'


def find_cycles(graph):
    """Files that include each other in a circle, each circle once from where it was entered."""
    done, path = set(), []

    def visit(node):
        if node in path:
            yield " -> ".join(path[path.index(node):] + [node])
            return
        if node in done:
            return
        path.append(node)
        for target in graph.get(node, ()):
            yield from visit(target)
        path.pop()
        done.add(node)

    for node in sorted(graph):
        yield from visit(node)


def check_tree(root):
    graph = {}
    for top in CHECKED_FOLDERS:
        for path in sorted((root / top).rglob("*")):
            parts = path.relative_to(root).parts
            if not path.is_file() or UNCHECKED_FOLDERS.intersection(parts):
                continue
            shown = "/".join(parts)
            text = path.read_text(encoding="utf-8", errors="replace")
            yield from check_file(path, shown, text.splitlines())
            if top != "src" or path.suffix not in (".h", ".cpp"):
                continue
            folder = parts[1]
            if len(parts) < 3 or folder not in LEVELS:
                yield f"{shown}: not in a layer; layers are {', '.join(LEVELS)}"
                continue
            yield from check_includes(folder, shown, text, root)
            graph["/".join(parts[1:])] = [target for bracket, target in INCLUDE.findall(text) if bracket == '"']
    for cycle in find_cycles(graph):
        yield f"include cycle: {cycle}"


def main():
    root = pathlib.Path(sys.argv[1])
    if not (root / "src").is_dir():
        sys.exit(f"{root} has no src folder")
    violations = list(check_tree(root))
    print("\n".join(violations) if violations else "layers, first lines, sizes and names are as they should be")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
