"""What the generator cannot find by itself: code of others in packages, and the Swift toolchain.

A package with a licence file of its own and no code of others needs no entry.
"""

# Code of others in the targets of a package that the programs contain. `holder` is a part of the
# copyright line that it accounts for, `directory` C code without one. The text is a file in `texts`
# (`text`), a file of the package (`file`), a comment of a file (`comment`, from the line `begins`),
# or the toolchain's licence (`toolchain`).
INSIDE = {
    "grdb.swift": [
        {
            "name": "Inflector of Active Support",
            "holder": "David Heinemeier Hansson",
            "homepage": "https://github.com/rails/rails",
            "comment": "GRDB/Utils/Inflections+English.swift",
            "begins": "Copyright (c) 2005-2019 David Heinemeier Hansson",
        },
        {
            "name": "Swift standard library (functions copied into GRDB)",
            "holder": "Apple Inc. and the Swift project authors",
            "homepage": "https://github.com/swiftlang/swift",
            "toolchain": True,
        },
    ],
    "swift-log": [
        {
            # The lock; NOTICE.txt of swift-log names it, and the licence is the same.
            "name": "SwiftNIO (lock copied into swift-log)",
            "holder": "Apple Inc. and the SwiftNIO project authors",
            "homepage": "https://github.com/apple/swift-nio",
            "file": "LICENSE.txt",
        },
    ],
    "swift-protobuf": [
        {
            "name": "Protocol Buffers (well-known types, generated)",
            "holder": "Google ",
            "homepage": "https://github.com/protocolbuffers/protobuf",
            "file": "Sources/protobuf/protobuf/LICENSE",
        },
    ],
    "yams": [
        {
            "name": "LibYAML",
            "directory": "Sources/CYaml",
            "homepage": "https://github.com/yaml/libyaml",
            "purl": "pkg:github/yaml/libyaml",
            "text": "libyaml.txt",
        },
    ],
}

# C code that is a package's own.
OWN_C = {
    # One empty file for a module of inline functions.
    ("swift-numerics", "Sources/_NumericsShims"),
}

# Other names for a package's own copyright holder.
OWN_HOLDERS = {
    "yams": ["Yams"],
    "swift-log": ["Apple Inc. and the Swift Logging API project authors"],
}

# The files of others in console/vendor, which the program `varde` contains.
CONSOLE = [
    {
        "name": "Preact",
        "version": "10.27.2",
        "homepage": "https://github.com/preactjs/preact",
        "purl": "pkg:npm/preact@10.27.2",
        "text": "preact.txt",
    },
    {
        "name": "htm",
        "version": "3.1.1",
        "homepage": "https://github.com/developit/htm",
        "purl": "pkg:npm/htm@3.1.1",
        "text": "apache-2.0.txt",
    },
    {
        "name": "uPlot",
        "version": "1.6.16",
        "homepage": "https://github.com/leeoniya/uPlot",
        "purl": "pkg:npm/uplot@1.6.16",
        "text": "uplot.txt",
    },
]

# What `--static-swift-stdlib` links from the toolchain. Without `text` the licence is the
# toolchain's own. `licence` is for texts that recognition.py refuses: of several licences, or of
# one without an SPDX identifier.
TOOLCHAIN = [
    {
        "name": "Swift standard library and runtime",
        "homepage": "https://github.com/swiftlang/swift",
    },
    {
        "name": "LLVM support library (in the Swift runtime)",
        "homepage": "https://github.com/llvm/llvm-project",
        "text": "llvm.txt",
    },
    {
        "name": "libdispatch and BlocksRuntime",
        "homepage": "https://github.com/swiftlang/swift-corelibs-libdispatch",
    },
    {
        "name": "Foundation (FoundationEssentials, FoundationInternationalization)",
        "homepage": "https://github.com/swiftlang/swift-foundation",
        "notice": "foundation-notice.txt",
    },
    {
        "name": "swift-collections (in Foundation)",
        "homepage": "https://github.com/apple/swift-collections",
    },
    {
        "name": "uuid (in Foundation)",
        "homepage": "https://github.com/swiftlang/swift-foundation",
        "text": "foundation-uuid.txt",
    },
    {
        "name": "CoreFoundation and Foundation of swift-corelibs-foundation",
        "homepage": "https://github.com/swiftlang/swift-corelibs-foundation",
    },
    {
        "name": "ConvertUTF (in CoreFoundation)",
        "homepage": "https://www.unicode.org",
        "text": "convertutf.txt",
        "licence": "LicenseRef-ConvertUTF",
    },
    {
        # Without the sections of its licence about build scripts, which no program contains.
        "name": "ICU (swift-foundation-icu)",
        "homepage": "https://github.com/swiftlang/swift-foundation-icu",
        "text": "icu.txt",
        "licence": "Unicode-3.0 AND ICU AND BSD-3-Clause AND BSD-2-Clause AND NAIST-2003",
    },
]
