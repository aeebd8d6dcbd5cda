import CLibXML

/// The name of an element during the callback that has it.
///
/// Unsafe: the pointers are into the dictionary of libxml2's context. They are valid as long as the
/// context, and equal names have equal pointers.
struct XMLName {
    var local: UnsafePointer<UInt8>
    var prefix: UnsafePointer<UInt8>?
    var uri: UnsafePointer<UInt8>?
}

/// The attributes of an element during the callback that has them.
///
/// Unsafe: libxml2 passes five pointers for each: local name, prefix, namespace, start and end of
/// the value. They are valid only during the callback, so values are copied out.
struct XMLAttributes {
    var fields: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    var count: Int

    /// The value of an attribute without a namespace; its case does not matter, as `isPermaLink` is
    /// written in every way.
    subscript(name: StaticString) -> String? {
        guard let fields else { return nil }
        for index in 0..<count where fields[5 * index + 2] == nil {
            if isEqual(fields[5 * index], name) { return value(at: index) }
        }
        return nil
    }

    /// `xml:base`, `xml:lang`.
    func xml(_ name: StaticString) -> String? { value(name, prefix: "xml") }

    /// The value of an attribute with a prefix. `rdf` and `xml` are bound to their namespaces
    /// everywhere.
    func value(_ name: StaticString, prefix: StaticString) -> String? {
        guard let fields else { return nil }
        for index in 0..<count where isEqual(fields[5 * index + 1], prefix) {
            if isEqual(fields[5 * index], name) { return value(at: index) }
        }
        return nil
    }

    /// As in a tag: ` href="…"`, without namespaces.
    func appendMarkup(to markup: inout [UInt8]) {
        guard let fields else { return }
        for index in 0..<count {
            guard let name = fields[5 * index] else { continue }
            markup.append(0x20)
            markup.append(contentsOf: UnsafeBufferPointer(start: name, count: length(name)))
            markup.append(contentsOf: "=\"".utf8)
            appendEscaped(value(at: index).utf8, to: &markup)
            markup.append(UInt8(ascii: "\""))
        }
    }

    private func value(at index: Int) -> String {
        guard let fields, let start = fields[5 * index + 3], let end = fields[5 * index + 4] else {
            return ""
        }
        let bytes = UnsafeBufferPointer(start: start, count: max(0, end - start))
        let text = String(decoding: bytes, as: UTF8.self)
        // libxml2 leaves ampersands escaped in this way, and only these, unless it substitutes
        // entities.
        return bytes.contains(UInt8(ascii: "&")) ? XMLAttributes.unescaped(bytes) : text
    }

    private static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            result.append(byte)
            if byte == UInt8(ascii: "&"), rest.starts(with: "#38;".utf8) { rest.removeFirst(4) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func isEqual(_ name: UnsafePointer<UInt8>?, _ other: StaticString) -> Bool {
        name.map { xmlStrcasecmp($0, other.utf8Start) == 0 } ?? false
    }
}

func length(_ text: UnsafePointer<UInt8>) -> Int { Int(xmlStrlen(text)) }

/// The text as HTML.
func appendEscaped(_ text: some Sequence<UInt8>, to markup: inout [UInt8]) {
    for byte in text {
        switch byte {
        case UInt8(ascii: "&"): markup.append(contentsOf: "&amp;".utf8)
        case UInt8(ascii: "<"): markup.append(contentsOf: "&lt;".utf8)
        case UInt8(ascii: ">"): markup.append(contentsOf: "&gt;".utf8)
        case UInt8(ascii: "\""): markup.append(contentsOf: "&quot;".utf8)
        default: markup.append(byte)
        }
    }
}
