/// Reads one JSON text (RFC 8259) from front to back, holding only the values that the caller
/// requests.
///
/// Foundation's decoders build the whole tree first: tens of megabytes for the aurora grid, which
/// as bytes is 65 kB; `JSONText.JSONReader` lists the elements of an array before it reads one.
/// Both refuse a whole document for one bare `NaN`, which SWPC sends on some days. This reader
/// takes `NaN`, `Infinity`, `+Infinity` and `-Infinity` as null and counts them, so that no second
/// pass over a repaired copy is needed; it is strict about everything else.
///
/// The caller opens arrays and objects with closures and must read or skip each value in them
/// exactly once. After an error the reader cannot be used.
struct PayloadReader {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    private(set) var nonFiniteCount = 0

    /// Of UTF-8.
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Checks the size, and that the text begins as an array or an object.
    init(_ bytes: [UInt8]) throws(PayloadError) {
        guard bytes.count <= AuroraLimits.bodyBytesMax else {
            throw .tooLarge(byteCount: bytes.count, byteCountMax: AuroraLimits.bodyBytesMax)
        }
        self.bytes = bytes
        // RFC 8259 §8.1: parsers "MAY ignore the presence of a byte order mark rather than treating it
        // as an error".
        if bytes.starts(with: PayloadReader.byteOrderMark) {
            index = PayloadReader.byteOrderMark.count
        }
        skipSpace()
        guard index < bytes.count else { throw .empty }
        guard bytes[index] == UInt8(ascii: "[") || bytes[index] == UInt8(ascii: "{") else {
            throw .notJSON(firstByte: bytes[index])
        }
    }

    /// The first byte of the next value.
    mutating func peek() throws(PayloadError) -> UInt8 {
        skipSpace()
        guard index < bytes.count else { throw .truncated(offset: index) }
        return bytes[index]
    }

    /// Reads an array; `element` gets the index of the element that it must read.
    mutating func array(
        _ element: (inout PayloadReader, Int) throws(PayloadError) -> Void
    ) throws(PayloadError) {
        try open(UInt8(ascii: "["), wanted: "an array")
        var count = 0
        while try hasNext(isFirst: count == 0, closing: UInt8(ascii: "]")) {
            try element(&self, count)
            count += 1
        }
    }

    /// Reads an object; `member` gets the name of the value that it must read.
    mutating func object(
        _ member: (inout PayloadReader, String) throws(PayloadError) -> Void
    ) throws(PayloadError) {
        try open(UInt8(ascii: "{"), wanted: "an object")
        var isFirst = true
        while try hasNext(isFirst: isFirst, closing: UInt8(ascii: "}")) {
            let name = try string()
            try expect(UInt8(ascii: ":"), wanted: "':'")
            try member(&self, name)
            isFirst = false
        }
    }

    /// Reads a text, number, truth value or null; an array or object is skipped and reads as null.
    mutating func scalar() throws(PayloadError) -> JSONScalar {
        switch try peek() {
        case UInt8(ascii: "\""):
            return .text(try string())
        case UInt8(ascii: "t"):
            try keyword("true")
            return .flag(true)
        case UInt8(ascii: "f"):
            try keyword("false")
            return .flag(false)
        case UInt8(ascii: "n"):
            try keyword("null")
            return .null
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            try skip()
            return .null
        default:
            return try number().map(JSONScalar.number) ?? .null
        }
    }

    /// Reads a number, or a text that holds one; nil for any other value.
    mutating func lenientNumber() throws(PayloadError) -> Double? {
        if let value = try shortInteger() { return Double(value) }
        switch try scalar() {
        case .number(let value): return value
        case .text(let text): return Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .flag, .null: return nil
        }
    }

    /// Reads an integer of up to three digits before the end of an element: the case of nearly all
    /// numbers of a grid. Nil, and nothing is read, if it is something else.
    private mutating func shortInteger() throws(PayloadError) -> Int? {
        let isNegative = try peek() == UInt8(ascii: "-")
        let start = isNegative ? index + 1 : index
        var (end, value) = (start, 0)
        while end < bytes.count, end - start < 3, Self.isDigit(bytes[end]) {
            value = value * 10 + Int(bytes[end] - 0x30)
            end += 1
        }
        guard end > start, end - start == 1 || bytes[start] != UInt8(ascii: "0"),
            end < bytes.count, [UInt8(ascii: ","), UInt8(ascii: "]")].contains(bytes[end])
        else { return nil }
        index = end
        return isNegative ? -value : value
    }

    /// Reads past one value of any kind, checking its form.
    mutating func skip() throws(PayloadError) {
        switch try peek() {
        case UInt8(ascii: "["):
            try array { (reader, _) throws(PayloadError) in try reader.skip() }
        case UInt8(ascii: "{"):
            try object { (reader, _) throws(PayloadError) in try reader.skip() }
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try keyword("true")
        case UInt8(ascii: "f"): try keyword("false")
        case UInt8(ascii: "n"): try keyword("null")
        default: _ = try numberRange()
        }
    }

    /// Checks the end of the text after the outermost value: only space may follow.
    mutating func finish() throws(PayloadError) {
        skipSpace()
        guard index == bytes.count else { throw unexpected("the end") }
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func open(_ bracket: UInt8, wanted: String) throws(PayloadError) {
        try expect(bracket, wanted: wanted)
        depth += 1
        guard depth <= AuroraLimits.nestingMax else { throw .nestedTooDeep(offset: index - 1) }
    }

    /// Stands before the next member and returns true, or eats the closing bracket.
    private mutating func hasNext(isFirst: Bool, closing: UInt8) throws(PayloadError) -> Bool {
        if try peek() == closing {
            index += 1
            depth -= 1
            return false
        }
        if !isFirst {
            try expect(UInt8(ascii: ","), wanted: "',' or the end of the list")
            // A comma must be followed by a value: a bracket right after it is an error of the
            // value's reader.
        }
        return true
    }

    private mutating func expect(_ byte: UInt8, wanted: String) throws(PayloadError) {
        guard try peek() == byte else { throw unexpected(wanted) }
        index += 1
    }

    private mutating func keyword(_ word: StaticString) throws(PayloadError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard index < bytes.count else { throw .truncated(offset: index) }
            guard bytes[index] == word.utf8Start[offset] else { throw unexpected("\(word)") }
            index += 1
        }
    }

    private func unexpected(_ wanted: String) -> PayloadError {
        index < bytes.count
            ? .unexpected(byte: bytes[index], offset: index, wanted: wanted)
            : .truncated(offset: index)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// A JSON value without parts.
enum JSONScalar: Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
}

extension PayloadReader {
    /// Nil for the bare tokens that are not JSON, and for a number that no finite Double can hold.
    private mutating func number() throws(PayloadError) -> Double? {
        guard let range = try numberRange() else { return nil }
        let value = Double(String(decoding: bytes[range], as: UTF8.self))
        guard let value, value.isFinite else {
            nonFiniteCount += 1
            return nil
        }
        return value
    }

    /// Reads past a number; nil when it was a bare non-finite token.
    private mutating func numberRange() throws(PayloadError) -> Range<Int>? {
        _ = try peek()
        if try skipNonFinite() { return nil }
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        if index < bytes.count, bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else {
            try digits()
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, [0x2B, 0x2D].contains(bytes[index]) { index += 1 }
            try digits()
        }
        return start..<index
    }

    private mutating func digits() throws(PayloadError) {
        let start = index
        while index < bytes.count, Self.isDigit(bytes[index]) { index += 1 }
        if index == start { throw unexpected("a value") }
    }

    private mutating func skipNonFinite() throws(PayloadError) -> Bool {
        var next = index
        if [0x2B, 0x2D].contains(bytes[index]) { next += 1 }
        guard next < bytes.count else { throw .truncated(offset: next) }
        switch bytes[next] {
        case UInt8(ascii: "N") where next == index:
            try keyword("NaN")
        case UInt8(ascii: "I"):
            index = next
            try keyword("Infinity")
        default:
            return false
        }
        nonFiniteCount += 1
        return true
    }

    /// Reads a string of RFC 8259 §7.
    private mutating func string() throws(PayloadError) -> String {
        try expect(UInt8(ascii: "\""), wanted: "a string")
        let start = index
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let text = try utf8(bytes[start..<index], at: start)
                index += 1
                return text
            case UInt8(ascii: "\\"):
                return try escapedString(from: start)
            case 0x00..<0x20:
                throw unexpected("a character of a string")
            default:
                index += 1
            }
        }
        throw .truncated(offset: index)
    }

    /// The slow path: the string from `start`, whose first escape is at `index`.
    private mutating func escapedString(from start: Int) throws(PayloadError) -> String {
        var text = Array(bytes[start..<index])
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x20 { throw unexpected("a character of a string") }
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return try utf8(text[...], at: start)
            case UInt8(ascii: "\\"): try unescape(into: &text)
            default: text.append(byte)
            }
        }
        throw .truncated(offset: index)
    }

    private mutating func unescape(into text: inout [UInt8]) throws(PayloadError) {
        guard index < bytes.count else { throw .truncated(offset: index) }
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            index += 1
            text.append(contentsOf: String(Character(try escapedScalar())).utf8)
            return
        default: throw unexpected("an escape")
        }
        index += 1
    }

    private mutating func escapedScalar() throws(PayloadError) -> Unicode.Scalar {
        let start = index
        let unit = try hexadecimal()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else { throw .unexpected(byte: bytes[start], offset: start, wanted: "a surrogate pair") }
        index += 2
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw .unexpected(byte: bytes[start], offset: start, wanted: "a surrogate pair") }
        return scalar
    }

    private mutating func hexadecimal() throws(PayloadError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard index < bytes.count else { throw .truncated(offset: index) }
            guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else {
                throw unexpected("a hexadecimal digit")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    private func utf8(_ slice: ArraySlice<UInt8>, at start: Int) throws(PayloadError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw .unexpected(byte: slice.first ?? 0, offset: start, wanted: "UTF-8")
        }
        return text
    }
}
