extension HTTPRequestHead {
    /// The names and values of the query in order, decoded as HTML forms encode them
    /// (application/x-www-form-urlencoded): "+" is a space.
    ///
    /// Nothing is refused, as in that standard's parser: a name without "=" has an empty value, a
    /// broken escape stands for itself, bytes that are not UTF-8 become U+FFFD.
    package func queryItems() -> [(name: String, value: String)] {
        guard let query else { return [] }
        return query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (formDecoded(pair[..<mark]), formDecoded(pair[mark...].dropFirst()))
        }
    }

    /// The value of the first item of the query with that name; nil when there is none, and empty for a name
    /// without "=".
    ///
    /// Names and values are decoded as parts of a URI (RFC 3986 §2.1): a "+" stays a "+", which a time such as
    /// `2024-12-09T17:10:00+01:00` needs. A value with a broken escape is returned as it was sent; bytes that
    /// are not UTF-8 become U+FFFD. The limit of the request line bounds the work.
    package func queryValue(_ name: String) -> String? {
        for item in query?.utf8.split(separator: UInt8(ascii: "&")) ?? [] {
            let mark = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            guard partDecoded(item[..<mark]).elementsEqual(name.utf8) else { continue }
            return String(decoding: partDecoded(item[mark...].dropFirst()), as: UTF8.self)
        }
        return nil
    }
}

/// A part of a path with its escapes decoded; nil when an escape is broken, or when the result is not UTF-8 or
/// has a NUL. A "+" stays a "+".
///
/// The result may have a "/" that was escaped: split a path first.
package func percentDecodedText(_ text: Substring) -> String? {
    let (bytes, isWellFormed) = percentDecoded(Array(text.utf8))
    guard isWellFormed, !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
}

/// Appends a byte of a request target, percent-encoded when it is not visible ASCII or would begin a
/// fragment, which is never sent (RFC 9110 §7.1).
func appendTargetByte(_ byte: UInt8, to bytes: inout [UInt8]) {
    guard !byte.isVisible || byte == UInt8(ascii: "#") else {
        bytes.append(byte)
        return
    }
    let digits: StaticString = "0123456789ABCDEF"
    bytes.append(UInt8(ascii: "%"))
    bytes.append(digits.utf8Start[Int(byte >> 4)])
    bytes.append(digits.utf8Start[Int(byte & 0xF)])
}

private func formDecoded(_ text: Substring.UTF8View) -> String {
    guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
        return String(Substring(text))
    }
    let spaced = text.map { $0 == UInt8(ascii: "+") ? .space : $0 }
    return String(decoding: percentDecoded(spaced).bytes, as: UTF8.self)
}

/// The bytes of a name or a value of a query; those that were sent when an escape is broken.
private func partDecoded(_ text: Substring.UTF8View) -> [UInt8] {
    let sent = Array(text)
    let (bytes, isWellFormed) = percentDecoded(sent)
    return isWellFormed ? bytes : sent
}

/// Decodes each `%` with two hexadecimal digits after it; a `%` without them is kept as it is.
private func percentDecoded(_ input: [UInt8]) -> (bytes: [UInt8], isWellFormed: Bool) {
    var output: [UInt8] = []
    output.reserveCapacity(input.count)
    var isWellFormed = true
    var index = 0
    while index < input.count {
        let byte = input[index]
        index += 1
        guard byte == UInt8(ascii: "%") else {
            output.append(byte)
            continue
        }
        guard index + 1 < input.count, let high = input[index].hexadecimalValue,
            let low = input[index + 1].hexadecimalValue
        else {
            isWellFormed = false
            output.append(byte)
            continue
        }
        output.append(high << 4 | low)
        index += 2
    }
    return (output, isWellFormed)
}
