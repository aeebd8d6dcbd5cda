// JSONText: writes JSON (RFC 8259) byte by byte, in the order the caller chooses, with room for texts
// that are JSON already. Foundation's encoder can do neither: it orders keys by hash or alphabet, and
// it would have to parse a stored event to embed it.

/// Appends one JSON value to `bytes`, with no space between tokens.
///
///     var json = JSONWriter()
///     json.object {
///         $0.field("score", 68)
///         $0.object("location") { $0.field("name", "Tromsø") }
///     }
///     // {"score":68,"location":{"name":"Tromsø"}}
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() {}

    /// Writes an object as the whole value or as the next array element.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        separate()
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array as the whole value or as the next array element.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        separate()
        open(UInt8(ascii: "["))
        body(&self)
        close(UInt8(ascii: "]"))
    }

    package mutating func object(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    package mutating func array(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        array(body)
    }

    package mutating func field(_ key: String, _ value: String?) {
        self.key(key)
        self.value(value)
    }

    package mutating func field(_ key: String, _ value: some BinaryInteger) {
        self.key(key)
        self.value(value)
    }

    package mutating func field(_ key: String, _ value: Double?) {
        self.key(key)
        self.value(value)
    }

    package mutating func field(_ key: String, _ value: Bool) {
        self.key(key)
        self.value(value)
    }

    package mutating func null(_ key: String) {
        self.key(key)
        raw("null".utf8)
    }

    /// Writes a field whose value is JSON text already; it is not checked.
    package mutating func raw(_ key: String, _ json: some Sequence<UInt8>) {
        self.key(key)
        raw(json)
    }

    /// Writes JSON text as the next value; it is not checked.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    package mutating func value(_ text: String?) {
        guard let text else { return raw("null".utf8) }
        separate()
        appendQuoted(text)
    }

    package mutating func value(_ number: some BinaryInteger) {
        raw(String(number).utf8)
    }

    /// Writes the shortest text that reads back as the same number, without `.0`; NaN and infinities,
    /// which JSON lacks, become `null`.
    package mutating func value(_ number: Double?) {
        guard let number, number.isFinite else { return raw("null".utf8) }
        let exactIntegerMax = 9_007_199_254_740_992.0  // 2^53, RFC 8259 §6
        if number == number.rounded(), abs(number) <= exactIntegerMax {
            value(Int64(number))
        } else {
            raw(number.description.utf8)
        }
    }

    package mutating func value(_ flag: Bool) {
        raw(flag ? "true".utf8 : "false".utf8)
    }

    private mutating func key(_ key: String) {
        separate()
        appendQuoted(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// Escapes only the characters that RFC 8259 §7 requires; most texts have none of them.
    private mutating func appendQuoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        // Contiguous bytes, because an iteration over `text.utf8` takes 50 instructions for each.
        var text = text
        text.withUTF8 { utf8 in
            if utf8.contains(where: { JSONWriter.isEscaped($0) }) {
                for byte in utf8 { appendEscaped(byte) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
        case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0x00..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: #"\u00"#.utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 0xF)])
        default: bytes.append(byte)
        }
    }
}
