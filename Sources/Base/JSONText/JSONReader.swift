/// Reads JSON (RFC 8259) in place: the fields of an object and the elements of an array as ranges of the
/// bytes, so that a value can be passed on exactly as it was sent.
///
/// Strict: no comments, no trailing commas, no control characters in strings, no numbers like `01`.
/// Strings are not checked for UTF-8; the caller has checked them.
package struct JSONReader {
    /// Deeper nesting is refused.
    package static let depthMax = 64
    /// The number of fields for which one allocation is enough: most objects have few.
    private static let fieldsUsual = 4

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The fields of an object in their order, each value with no space around it.
    package static func fields(
        of object: ArraySlice<UInt8>
    ) throws(JSONError) -> [(key: String, value: ArraySlice<UInt8>)] {
        var reader = JSONReader(object)
        var fields: [(key: String, value: ArraySlice<UInt8>)] = []
        fields.reserveCapacity(JSONReader.fieldsUsual)
        try reader.wholeValue { reader throws(JSONError) in
            try reader.container(open: "{", close: "}") { reader throws(JSONError) in
                let key = try reader.key()
                fields.append((key, try reader.value(depth: 1)))
            }
        }
        return fields
    }

    /// The elements of an array.
    package static func elements(
        of array: ArraySlice<UInt8>
    ) throws(JSONError) -> [ArraySlice<UInt8>] {
        var reader = JSONReader(array)
        var elements: [ArraySlice<UInt8>] = []
        try reader.wholeValue { reader throws(JSONError) in
            try reader.container(open: "[", close: "]") { reader throws(JSONError) in
                elements.append(try reader.value(depth: 1))
            }
        }
        return elements
    }

    /// The one value of a text, without the space around it.
    package static func value(of text: ArraySlice<UInt8>) throws(JSONError) -> ArraySlice<UInt8> {
        var reader = JSONReader(text)
        var value = text[text.startIndex..<text.startIndex]
        try reader.wholeValue { reader throws(JSONError) in
            value = try reader.value(depth: 0)
        }
        return value
    }

    /// The text of a string value; nil when the value is something else, or has a lone surrogate.
    ///
    /// No text can have one. With a replacement for it, different names would become the same.
    package static func string(_ value: ArraySlice<UInt8>) -> String? {
        whole(value) { reader throws(JSONError) in try reader.string() }
    }

    /// The text of a string value, with U+FFFD for each lone surrogate; nil when the value is
    /// something else. Only for texts to show, such as a title that its publisher has cut within a
    /// character, never for names.
    package static func shownText(_ value: ArraySlice<UInt8>) -> String? {
        whole(value) { reader throws(JSONError) in
            String(decoding: try reader.utf16Units(), as: UTF16.self)
        }
    }

    /// The text of a string value that `read` reads to its end.
    private static func whole(
        _ value: ArraySlice<UInt8>,
        _ read: (inout JSONReader) throws(JSONError) -> String
    ) -> String? {
        var reader = JSONReader(value)
        guard value.first == UInt8(ascii: "\""), let text = try? read(&reader),
            reader.position == value.endIndex
        else { return nil }
        return text
    }

    /// The number of a number value without a fraction; nil when it is something else or does not fit.
    package static func integer(_ value: ArraySlice<UInt8>) -> UInt64? {
        UInt64(String(decoding: value, as: UTF8.self))
    }

    // MARK: Scanning

    private mutating func wholeValue(
        _ body: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        skipSpace()
        try body(&self)
        skipSpace()
        guard position == bytes.endIndex else { throw error("text behind the value") }
    }

    private mutating func container(
        open: Unicode.Scalar,
        close: Unicode.Scalar,
        _ member: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        try expect(open)
        skipSpace()
        if skip(close) { return }
        repeat {
            skipSpace()
            try member(&self)
            skipSpace()
        } while skip(",")
        try expect(close)
    }

    private mutating func key() throws(JSONError) -> String {
        let key = try string()
        try colon()
        return key
    }

    private mutating func colon() throws(JSONError) {
        skipSpace()
        try expect(":")
        skipSpace()
    }

    private mutating func value(depth: Int) throws(JSONError) -> ArraySlice<UInt8> {
        let start = position
        try skipValue(depth: depth)
        return bytes[start..<position]
    }

    /// Skips a value without making slices or texts of its content.
    private mutating func skipValue(depth: Int) throws(JSONError) {
        guard depth <= JSONReader.depthMax else {
            throw error("nested deeper than \(JSONReader.depthMax)")
        }
        switch peek {
        case UInt8(ascii: "{"):
            try container(open: "{", close: "}") { reader throws(JSONError) in
                try reader.skipString()
                try reader.colon()
                try reader.skipValue(depth: depth + 1)
            }
        case UInt8(ascii: "["):
            try container(open: "[", close: "]") { reader throws(JSONError) in
                try reader.skipValue(depth: depth + 1)
            }
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
    }

    /// RFC 8259 §6: `-`? (0 | 1-9 digits) fraction? exponent?
    private mutating func number() throws(JSONError) {
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            try digits()
        }
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw error("expected a value") }
    }

    private mutating func word(_ word: String) throws(JSONError) {
        guard bytes[position...].starts(with: word.utf8) else { throw error("expected a value") }
        position += word.utf8.count
    }

    private mutating func skipString() throws(JSONError) {
        try expect("\"")
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try skipEscape()
            case 0x00..<0x20: throw error("control character in a string")
            default: continue
            }
        }
        throw error("string without an end")
    }

    private mutating func skipEscape() throws(JSONError) {
        guard let byte = peek else { throw error("string without an end") }
        position += 1
        guard byte == UInt8(ascii: "u") else {
            guard #""\/bfnrt"#.utf8.contains(byte) else { throw error("unknown escape") }
            return
        }
        for _ in 0..<4 {
            guard let digit = peek, Character(Unicode.Scalar(digit)).isHexDigit else {
                throw error("unknown escape")
            }
            position += 1
        }
    }

    /// The bytes between the quotes.
    private mutating func escapedString() throws(JSONError) -> ArraySlice<UInt8> {
        let start = position
        try skipString()
        return bytes[(start + 1)..<(position - 1)]
    }

    private mutating func string() throws(JSONError) -> String {
        let start = position
        let escaped = try escapedString()
        guard escaped.contains(UInt8(ascii: "\\")) else {
            return String(decoding: escaped, as: UTF8.self)
        }
        guard let text = String(validating: JSONReader.unescaped(escaped), as: UTF16.self) else {
            position = start
            throw error("lone surrogate in a string")
        }
        return text
    }

    private mutating func utf16Units() throws(JSONError) -> [UInt16] {
        JSONReader.unescaped(try escapedString())
    }

    /// Resolves the escapes of a string that has been checked. There may be lone surrogates.
    private static func unescaped(_ escaped: ArraySlice<UInt8>) -> [UInt16] {
        var units: [UInt16] = []
        var rest = Substring(decoding: escaped, as: UTF8.self)
        while let character = rest.unicodeScalars.popFirst() {
            guard character == "\\", let letter = rest.unicodeScalars.popFirst() else {
                units.append(contentsOf: String(character).utf16)
                continue
            }
            switch letter {
            case "b": units.append(0x08)
            case "f": units.append(0x0C)
            case "n": units.append(0x0A)
            case "r": units.append(0x0D)
            case "t": units.append(0x09)
            case "u":
                let digits = rest.unicodeScalars.prefix(4)
                units.append(UInt16(String(digits), radix: 16) ?? 0xFFFD)
                rest.unicodeScalars.removeFirst(digits.count)
            default: units.append(contentsOf: String(letter).utf16)
            }
        }
        return units
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = peek, UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
        guard skip(character) else { throw error("expected '\(character)'") }
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            position += 1
        }
    }

    private func error(_ message: String) -> JSONError {
        JSONError(offset: position - bytes.startIndex, message: message)
    }
}

/// Where and why a text is not JSON.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// In bytes from the start of the text.
    package let offset: Int
    package let message: String

    package var description: String { "byte \(offset): \(message)" }
}
