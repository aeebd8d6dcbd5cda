#!/usr/bin/env bash
# Writes Sources/System/CConsole/CConsole.c: the list of the files of the console that the program contains.
# Run it after a file was added, renamed or removed: `make console-files`.
set -euo pipefail
cd "$(dirname "$0")"

mapfile -t files < <(find . -type f \( -name '*.html' -o -name '*.js' -o -name '*.css' -o -name '*.json' \) \
    -printf '%P\n' | LC_ALL=C sort)
{
    cat <<'TEXT'
// The files of console/, embedded. Written by console/embed.sh.
#include "CConsole.h"

// Clang knows #embed in every version of C, and calls it an extension in those before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

TEXT
    for index in "${!files[@]}"; do
        printf 'static const char file_%d[] = {\n#embed "../../../console/%s"\n};\n' "$index" "${files[index]}"
    done
    printf '\n#define FILE(name, array) {name, array, sizeof array}\n\n'
    printf 'static const struct varde_console_file files[] = {\n'
    for index in "${!files[@]}"; do
        printf '    FILE("%s", file_%d),\n' "${files[index]}" "$index"
    done
    cat <<'TEXT'
};

const struct varde_console_file *varde_console_file_at(unsigned long index) {
    return index < sizeof files / sizeof *files ? &files[index] : 0;
}
TEXT
} >../Sources/System/CConsole/CConsole.c
