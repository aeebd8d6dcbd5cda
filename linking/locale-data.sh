#!/usr/bin/env bash
# Prints the linker's flags that give a program the locale data it uses instead of all that ICU has.
#
#   linking/locale-data.sh FOLDER
#
# Foundation, linked statically, brings ICU's data for every language: 34 MB, more than the rest of the program.
# The hub formats nothing for any language. Of the toolchain's own data this keeps what belongs to no language, and
# English, in FOLDER/locale-data.o. With another toolchain than we know it prints nothing, and the program has all.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1

tools=$(dirname "$(readlink --canonicalize "$(command -v "${SWIFT:-swift}")")")
archive=$tools/../lib/swift_static/linux/lib_FoundationICU.a
object=icu_packaged_data.cpp.o

stop() {
    echo "linking: $1; the program keeps the locale data of all languages" >&2
    exit 0
}

[ -f "$archive" ] || stop "no static Foundation in this toolchain"
for tool in llvm-ar llvm-nm llvm-objcopy clang; do
    [ -x "$tools/$tool" ] || stop "no $tool in this toolchain"
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

if [ ! "$folder/locale-data.o" -nt "$archive" ] || [ ! "$folder/locale-data.o" -nt "$0" ]; then
    "$tools/llvm-ar" p "$archive" $object >"$folder/$object" 2>/dev/null || stop "no $object in Foundation"
    symbol=$("$tools/llvm-nm" --defined-only --format=just-symbols "$folder/$object" | grep '^icudt[0-9]*_dat$') \
        || stop "no data in $object"
    "$tools/llvm-objcopy" --output-target=binary --only-section=.rodata "$folder/$object" "$folder/locale-data.full"
    "${SWIFT:-swift}" "$here/LocaleData.swift" "$folder/locale-data.full" "$folder/locale-data.kept" >&2 \
        || stop "ICU's data has another form"
    cat >"$folder/locale-data.S" <<END
.section .rodata
.global __wrap_$symbol
.balign 16
__wrap_$symbol: .incbin "$folder/locale-data.kept"
.section .note.GNU-stack,"",@progbits
END
    "$tools/clang" -c "$folder/locale-data.S" -o "$folder/locale-data.o"
    echo "$symbol" >"$folder/locale-data.symbol"
    rm "$folder/$object" "$folder/locale-data.full"
fi
echo "-Xlinker --wrap=$(cat "$folder/locale-data.symbol") -Xlinker $folder/locale-data.o"
