"""Which licence a text is, as an SPDX identifier."""

import re

# Sentences of each licence, without the punctuation, case and line ends in which its texts differ.
# A text of the licence has all of them.
SENTENCES = {
    "Apache-2.0": ("apache license version 2 0 january 2004", "end of terms and conditions"),
    "Apache-2.0 WITH Swift-exception": (
        "apache license version 2 0 january 2004",
        "end of terms and conditions",
        "runtime library exception to the apache 2 0 license",
        "without providing attribution as would otherwise be required",
    ),
    "Apache-2.0 WITH LLVM-exception": (
        "apache license version 2 0 january 2004",
        "end of terms and conditions",
        "llvm exceptions to the apache 2 0 license",
    ),
    "MIT": (
        "permission is hereby granted free of charge to any person obtaining a copy of this "
        "software and associated documentation files the software to deal in the software without "
        "restriction including without limitation the rights to use copy modify merge publish "
        "distribute sublicense and or sell copies of the software",
        "the above copyright notice and this permission notice shall be included in all copies",
    ),
    "BSD-2-Clause": (
        "redistribution and use in source and binary forms with or without modification are "
        "permitted provided that the following conditions are met",
        "redistributions in binary form must reproduce the above copyright notice",
    ),
    "BSD-3-Clause": (
        "redistribution and use in source and binary forms with or without modification are "
        "permitted provided that the following conditions are met",
        "redistributions in binary form must reproduce the above copyright notice",
        "used to endorse or promote products derived from this software without specific prior "
        "written permission",
    ),
    "ISC": ("permission to use copy modify and or distribute this software for any purpose with",),
    "Zlib": ("altered source versions must be plainly marked as such",),
    "Unicode-3.0": ("unicode license v3",),
    # Recognised so that they are refused by name: none fits a static binary under the MIT licence.
    "GPL": ("gnu general public license",),
    "LGPL": ("gnu lesser general public license",),
    "AGPL": ("gnu affero general public license",),
    "MPL": ("mozilla public license",),
    "SSPL": ("server side public license",),
    "BUSL": ("business source license",),
}

# The licences that the programs may contain.
ACCEPTED = {
    "Apache-2.0",
    "Apache-2.0 WITH Swift-exception",
    "Apache-2.0 WITH LLVM-exception",
    "MIT",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
}


class LicenceError(Exception):
    """A licence that is missing, unknown or not accepted; the message says of what."""


def recognise(text, of):
    """The SPDX identifier of a text that is one licence.

    A text that has another licence's sentences too, such as an MIT licence with further terms,
    is unknown: it needs an entry in exceptions.py.
    """
    words = normalised(text)
    found = {
        name for name, sentences in SENTENCES.items() if all(each in words for each in sentences)
    }
    # A licence whose sentences are only a part of another's that was found as well.
    found -= {
        small for small in found for large in found if set(SENTENCES[small]) < set(SENTENCES[large])
    }
    if len(found) != 1:
        candidates = ", ".join(sorted(found)) or "no known one"
        raise LicenceError(f"{of}: unknown licence (matches {candidates}): see exceptions.py")
    licence = found.pop()
    if licence not in ACCEPTED:
        raise LicenceError(f"{of}: licence {licence} is not accepted")
    return licence


def normalised(text):
    """The words of a text. Two texts with the same words are the same licence text."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))
