#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the examples of a page as a reader would, and compares what they print with what the page shows.

An example is an indented block with lines that begin with "$ ". All examples of a page run one after another in one folder,
where scripts, schemes and examples of the project are found. What follows a command is its output, of stdout and stderr;
a line "..." stands for any number of lines. Blocks without "$ " are not run. A page with the comment "run: outputs not shown"
has commands only: each must end well and print something.

run_docs.py PAGE...           prints a TAP line for each command
run_docs.py --write PAGE...   puts what the commands print now into the page; where the page ends an output with "...", as many lines as before
"""
import os, pathlib, re, shutil, subprocess, sys, tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
INDENT = "    "
OTHERS = ("jq", "sqlite3")	# programs of others, without which an example is skipped


def examples(lines):
    """The commands of a page: (line of the command, its text, first line of its output, line after it)."""
    at = 0
    while at < len(lines):
        if not lines[at].startswith(INDENT + "$ "):
            at += 1
            continue
        begin, command = at, lines[at][len(INDENT) + 2:]
        at += 1
        while command.endswith("\\") and at < len(lines):
            command, at = command[:-1] + lines[at].strip(), at + 1
        output = at
        while at < len(lines) and not lines[at].startswith(INDENT + "$ ") and (lines[at].startswith(INDENT) or
                (lines[at] == "" and at + 1 < len(lines) and lines[at + 1].startswith(INDENT) and at > output)):
            at += 1
        while at > output and lines[at - 1] == "":
            at -= 1
        yield begin, command, output, at


def shown(lines):
    return [line[len(INDENT):] for line in lines]


def alike(want, got):
    """Whether got is want, of which each line "..." stands for any number of lines."""
    parts = "\n".join(want + [""]).split("...\n")
    text = "\n".join(got + [""]) if got else ""
    if want == []:
        return text == ""
    pattern = r"(?s:.*)".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, text) is not None


def shortened(want, got):
    """got, as long as the page showed it before."""
    if "..." not in want:
        return got
    keep = want.index("...") or 8
    return got if len(got) <= keep + 1 else got[:keep] + ["..."]


def columns_of(page):
    """README is read at terminals: with the indent its outputs fit into 80 columns."""
    return "76" if pathlib.Path(page).name == "README.md" else "90"


def run(command, folder, columns):
    environment = dict(os.environ, COLUMNS=columns, NO_COLOR="1", TZ="UTC", LC_ALL="C.UTF-8")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return done.returncode, [line.rstrip() for line in done.stdout.decode("utf-8", "replace").splitlines()]


def run_page(page, write, number):
    lines = pathlib.Path(page).read_text().split("\n")
    silent = "<!-- run: outputs not shown -->" in lines
    written, copied, failures = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("scripts", "schemes", "examples", "t"):
            os.symlink(PROJECT / name, pathlib.Path(folder) / name)
        for begin, command, output, end in examples(lines):
            status, got = run(command, folder, columns_of(page))
            want = shown(lines[output:end])
            good = status in (0, 4, 141) and (got != [] if silent else alike(want, got))	# 4: something was found; 141: head had enough
            number += 1
            missing = next((name for name in OTHERS if re.search(rf"\b{name}\b", command) and not shutil.which(name)), None)
            if missing and not write:
                print(f"ok {number} # SKIP no {missing}")
                continue
            failures += not good
            if write and not silent:
                written += lines[copied:output] + [(INDENT + line).rstrip() for line in shortened(want, got)]
                copied = end
                continue
            if write:
                continue
            print(f"{'ok' if good else 'not ok'} {number} - {os.path.basename(page)}:{begin + 1}: {command.replace('#', '')}")
            if not good:
                print(f"# status {status}; it printed")
                print("\n".join("#   " + line for line in got[:60]))
                print("# the page shows")
                print("\n".join("#   " + line for line in want[:60]))
    if write:
        pathlib.Path(page).write_text("\n".join(written + lines[copied:]))
    return number, failures


def main(arguments):
    write = arguments[:1] == ["--write"]
    number = failures = 0
    for page in arguments[write:]:
        number, failed = run_page(page, write, number)
        failures += failed
    if not write:
        print(f"1..{number}")
    return 1 if failures and not write else 0


sys.exit(main(sys.argv[1:]))
