#!/usr/bin/env python3
"""Writes a man page for each command of a program, from `PROGRAM --experimental-dump-help`.

usage: man.py PROGRAM FOLDER
"""

import json
import re
import subprocess
import sys
from pathlib import Path

SECTION = 1
# Of every command; they are in the page of the program.
COMMON = {"help", "version"}


def escaped(text):
    """Text that roff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(
        f"\\&{line}" if line.startswith((".", "'")) else line for line in text.split("\n")
    )


def spelled(name):
    """An option as it is typed."""
    return f"-{name['name']}" if name["kind"] == "short" else f"--{name['name']}"


def value(argument):
    return argument.get("valueName", "value")


def usage(argument):
    """One argument of the synopsis."""
    if argument["kind"] == "positional":
        text = f"\\fI{escaped(value(argument))}\\fR"
    else:
        text = f"\\fB{escaped(spelled(argument['preferredName']))}\\fR"
        if argument["kind"] == "option":
            text += f" \\fI{escaped(value(argument))}\\fR"
    if argument["isRepeating"]:
        text += " ..."
    return f"[{text}]" if argument["isOptional"] else text


def entry(argument):
    """One argument with its description."""
    if argument["kind"] == "positional":
        term = f"\\fI{escaped(value(argument))}\\fR"
    else:
        term = ", ".join(f"\\fB{escaped(spelled(name))}\\fR" for name in argument["names"])
        if argument["kind"] == "option":
            term += f" \\fI{escaped(value(argument))}\\fR"
    text = argument.get("abstract", "")
    if "defaultValue" in argument:
        text += f" (default: {argument['defaultValue']})"
    return [".TP", term, escaped(text.strip())]


def shown(command, is_root):
    return [
        argument
        for argument in command.get("arguments", [])
        if argument["shouldDisplay"]
        and (is_root or not COMMON & {name["name"] for name in argument.get("names", [])})
    ]


def page(words, command, version):
    """The page of the command that these words call."""
    is_root = len(words) == 1
    title, name = "-".join(words), " ".join(words)
    abstract = command.get("abstract", "")
    subcommands = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
    arguments = shown(command, is_root)
    lines = [
        f'.TH "{escaped(title.upper())}" {SECTION} "" "Varde {version}" "Varde"',
        ".SH NAME",
        f"{escaped(title)} \\- {escaped(abstract.rstrip('.'))}",
        ".SH SYNOPSIS",
        " ".join(
            [f"\\fB{escaped(name)}\\fR"]
            + [usage(argument) for argument in arguments]
            + (["\\fIcommand\\fR"] if subcommands else [])
        ),
    ]
    if discussion := command.get("discussion"):
        lines += [".SH DESCRIPTION", escaped(discussion)]
    for heading, kinds in (("ARGUMENTS", {"positional"}), ("OPTIONS", {"option", "flag"})):
        some = [argument for argument in arguments if argument["kind"] in kinds]
        if some:
            lines += [f".SH {heading}", *(line for each in some for line in entry(each))]
    if subcommands:
        lines.append(".SH COMMANDS")
        for each in subcommands:
            lines += [".TP", f"\\fB{escaped(each['commandName'])}\\fR", escaped(each["abstract"])]
    others = [f"{title}-{each['commandName']}" for each in subcommands]
    if not is_root:
        others.insert(0, "-".join(words[:-1]))
    if others:
        lines.append(".SH SEE ALSO")
        lines.append(", ".join(f"\\fB{escaped(other)}\\fR({SECTION})" for other in others))
    return "\n".join(lines) + "\n"


def pages(words, command, version):
    """All pages, by file name."""
    found = {f"{'-'.join(words)}.{SECTION}": page(words, command, version)}
    for each in command.get("subcommands", []):
        if each["commandName"] != "help" and each["shouldDisplay"]:
            found |= pages([*words, each["commandName"]], each, version)
    return found


def output(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def main():
    if len(sys.argv) != 3:
        sys.exit(re.search(r"usage: .*", __doc__)[0])
    program, folder = sys.argv[1], Path(sys.argv[2])
    command = json.loads(output(program, "--experimental-dump-help"))["command"]
    version = output(program, "--version").strip()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages([command["commandName"]], command, version).items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
