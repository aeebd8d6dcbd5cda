extension HTTPHeaders {
    /// The elements of a comma-separated list over all fields of that name, trimmed, without the empty
    /// ones (RFC 9110 §5.6.1.2). A comma inside a quoted string does not separate.
    package func listValues(_ name: String) -> [Substring] {
        all(name).flatMap(elements(of:))
    }

    /// True when the list of that name has `token` as an element, compared without case, as for
    /// Connection and Upgrade.
    package func contains(_ name: String, token: String) -> Bool {
        listValues(name).contains { equalsIgnoringCase($0, token) }
    }
}

private func elements(of value: String) -> [Substring] {
    var elements: [Substring] = []
    var start = value.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in value.utf8.indices {
        let byte = value.utf8[index]
        if isEscaped {
            isEscaped = false
        } else if isQuoted, byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isQuoted.toggle()
        } else if byte == UInt8(ascii: ","), !isQuoted {
            elements.append(trimmed(value[start..<index]))
            start = value.utf8.index(after: index)
        }
    }
    elements.append(trimmed(value[start...]))
    return elements.filter { !$0.isEmpty }
}

/// The text without the spaces and tabs around it.
func trimmed(_ text: Substring) -> Substring {
    let bytes = text.utf8
    guard let start = bytes.firstIndex(where: { !$0.isWhitespace }),
        let last = bytes.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return text[start...last]
}
