import CLibXML

/// Whether a text of unknown format is HTML: it has an end tag or a reference to a character, and
/// HTML has all of its tags. `1 < 2` and `the <T> of Array` are plain.
func looksLikeHTML(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.contains(UInt8(ascii: "<")) || bytes.contains(UInt8(ascii: "&")) else {
        return false
    }
    var hasMark = false
    var rest = bytes[...]
    while let next = rest.firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") })
    {
        let isTag = rest[next] == UInt8(ascii: "<")
        rest = rest[rest.index(after: next)...]
        if isTag {
            let isEnd = rest.first == UInt8(ascii: "/")
            let name = rest.dropFirst(isEnd ? 1 : 0).prefix(while: isWordByte)
            guard !name.isEmpty else { continue }
            // Unsafe: the table is static.
            guard htmlTagLookup(String(Substring(name)).lowercased()) != nil else { return false }
            if isEnd { hasMark = true }
        } else {
            let isNumber = rest.first == UInt8(ascii: "#")
            let name = rest.dropFirst(isNumber ? 1 : 0).prefix(while: isWordByte)
            guard !name.isEmpty, rest[name.endIndex...].first == UInt8(ascii: ";") else { continue }
            guard isNumber || htmlEntity(String(Substring(name))) != nil else { return false }
            hasMark = true
        }
    }
    return hasMark
}

private func isWordByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}
