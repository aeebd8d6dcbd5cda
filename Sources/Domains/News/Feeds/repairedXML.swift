/// The text with the two faults repaired that most broken feeds have: an ampersand that begins no
/// reference is escaped, and so is a `<` that begins no markup. Without the repair libxml2 drops
/// the character and the text after it. CDATA sections, comments and processing instructions are
/// unchanged.
///
/// All named references become numbers or, if HTML does not define the name, text: after the first
/// fault, libxml2 drops the named references of a text, even `&amp;`.
func repairedXML(_ bytes: [UInt8]) -> [UInt8] {
    var repaired: [UInt8] = []
    repaired.reserveCapacity(bytes.count + bytes.count / 16)
    var rest = bytes.drop(while: isSpace)
    while let next = rest.firstIndex(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "<") })
    {
        repaired.append(contentsOf: rest[..<next])
        rest = rest[next...]
        if rest.first == UInt8(ascii: "&") {
            rest.removeFirst()
            appendReference(&rest, to: &repaired)
        } else if let end = endOfOpaquePart(rest) {
            repaired.append(contentsOf: rest[..<end])
            rest = rest[end...]
        } else {
            rest.removeFirst()
            repaired.append(contentsOf: (beginsMarkup(rest) ? "<" : "&#60;").utf8)
        }
    }
    repaired.append(contentsOf: rest)
    return repaired
}

/// Takes the name or number of a reference off `rest`, which begins behind the ampersand.
private func appendReference(_ rest: inout ArraySlice<UInt8>, to repaired: inout [UInt8]) {
    // `&CounterClockwiseContourIntegral;` is the longest of HTML.
    let nameLengthMax = 32
    let isNumber = rest.first == UInt8(ascii: "#")
    let name = (isNumber ? rest.dropFirst() : rest).prefix(nameLengthMax).prefix(
        while: isAlphanumeric
    )
    guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"), !name.isEmpty
    else { return repaired.append(contentsOf: "&#38;".utf8) }
    if isNumber {
        let isHexadecimal = name.first == UInt8(ascii: "x")
        let isValid = isHexadecimal || name.allSatisfy { (0x30...0x39).contains($0) }
        return repaired.append(contentsOf: (isValid ? "&" : "&#38;").utf8)
    }
    guard let scalar = htmlEntity(String(decoding: name, as: UTF8.self)) else {
        return repaired.append(contentsOf: "&#38;".utf8)
    }
    repaired.append(contentsOf: "&#\(scalar.value);".utf8)
    rest = rest[(name.endIndex + 1)...]
}

/// Behind `<`: a name, `/`, `!` or `?`.
private func beginsMarkup(_ rest: ArraySlice<UInt8>) -> Bool {
    guard let byte = rest.first else { return false }
    if byte == UInt8(ascii: "/") {
        return rest.dropFirst().first.map(isNameStart) ?? false
    }
    return isNameStart(byte) || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?")
}

private func isNameStart(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: ":") || byte >= 0x80
}

private func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

/// The end of a CDATA section, a comment or a processing instruction that begins here.
private func endOfOpaquePart(_ rest: ArraySlice<UInt8>) -> Int? {
    for (opening, closing) in [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")] {
        guard rest.starts(with: opening.utf8) else { continue }
        return end(of: closing, in: rest.dropFirst(opening.utf8.count)) ?? rest.endIndex
    }
    return nil
}

private func end(of closing: String, in rest: ArraySlice<UInt8>) -> Int? {
    let closing = Array(closing.utf8)
    var start = rest.startIndex
    while let found = rest[start...].firstIndex(of: closing[0]) {
        if rest[found...].starts(with: closing) { return found + closing.count }
        start = found + 1
    }
    return nil
}
