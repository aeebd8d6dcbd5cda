/// Decoders of the encodings that iconv lacks, or has in another form than the WHATWG's standard.
extension DecodedText {
    /// Bytes as valid UTF-8.
    struct Decoding {
        var bytes: [UInt8]
        /// Sequences that the encoding lacks, each replaced by U+FFFD.
        var replacedCount: Int
    }

    /// Nil if iconv lacks the encoding.
    static func decode(_ source: ArraySlice<UInt8>, in encoding: Encoding) -> Decoding? {
        switch encoding {
        case .utf8:
            if isUTF8(source) { return Decoding(bytes: Array(source), replacedCount: 0) }
            return repaired(String(decoding: source, as: UTF8.self))
        case .utf16(let isBigEndian):
            var units = utf16Units(source, isBigEndian: isBigEndian)
            // A single byte at the end.
            if !source.count.isMultiple(of: 2) { units.append(0xD800) }
            if let text = String(validating: units, as: UTF16.self) {
                return Decoding(bytes: Array(text.utf8), replacedCount: 0)
            }
            return repaired(String(decoding: units, as: UTF16.self))
        case .windows1252: return repaired(Windows1252.utf8(source))
        case .userDefined: return userDefined(source)
        case .replacement: return repaired("\u{FFFD}")
        case .iso2022JP: return converted(eucJP(ofISO2022JP: source)[...], from: "EUC-JP-MS")
        case .big5: return big5(source)
        case .named("GB18030"): return converted(withEuroSign(source)[...], from: "GB18030")
        case .named(let name): return converted(source, from: name)
        }
    }

    static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        (try? UTF8Span(validating: bytes.span)) != nil
    }

    private static func repaired(_ text: String) -> Decoding { repaired(Array(text.utf8)) }

    private static func repaired(_ bytes: [UInt8]) -> Decoding {
        var count = 0
        var index = 0
        let mark = Array("\u{FFFD}".utf8)
        while let found = bytes[index...].firstIndex(of: mark[0]) {
            if bytes[found...].starts(with: mark) { count += 1 }
            index = found + 1
        }
        return Decoding(bytes: bytes, replacedCount: count)
    }

    private static func utf16Units(_ source: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt16] {
        var units: [UInt16] = []
        units.reserveCapacity(source.count / 2 + 1)
        var index = source.startIndex
        while index + 1 < source.endIndex {
            let pair = (UInt16(source[index]), UInt16(source[index + 1]))
            units.append(isBigEndian ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0)
            index += 2
        }
        return units
    }

    private static func userDefined(_ source: ArraySlice<UInt8>) -> Decoding {
        let scalars = source.map { byte in
            byte < 0x80
                ? Unicode.Scalar(byte) : Unicode.Scalar(0xF780 + UInt32(byte) - 0x80) ?? "\u{FFFD}"
        }
        let text = String(String.UnicodeScalarView(scalars))
        return Decoding(bytes: Array(text.utf8), replacedCount: 0)
    }

    private static func converted(_ source: ArraySlice<UInt8>, from name: String) -> Decoding? {
        guard var conversion = CharacterConversion(from: name) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count + source.count / 2)
        let count = conversion.append(source, to: &bytes)
        // iconv lets surrogates and more through in its oldest modules.
        return isUTF8(bytes[...])
            ? Decoding(bytes: bytes, replacedCount: count)
            : repaired(String(decoding: bytes, as: UTF8.self))
    }

    /// GBK of Windows has the euro sign at 0x80, which GB 18030 has elsewhere.
    private static func withEuroSign(_ source: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var rest = source
        while let byte = rest.popFirst() {
            if byte == 0x80 {
                result.append(contentsOf: [0xA2, 0xE3])
            } else {
                result.append(byte)
                if byte > 0x80, let trail = rest.first, trail >= 0x40 {
                    rest.removeFirst()
                    result.append(trail)
                }
            }
        }
        return result
    }

    /// The punctuation of glibc's Hong Kong variant is another one than the standard's, which is
    /// that of Big5 itself.
    private static func big5(_ source: ArraySlice<UInt8>) -> Decoding? {
        guard var symbols = CharacterConversion(from: "BIG5"),
            var others = CharacterConversion(from: "BIG5-HKSCS")
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count + source.count / 2)
        var count = 0
        var rest = source
        while let first = rest.first {
            let isSymbol = (0xA1...0xA3).contains(first)
            var end = rest.startIndex
            while end < rest.endIndex, (0xA1...0xA3).contains(rest[end]) == isSymbol {
                end = min(rest.endIndex, end + (rest[end] > 0x80 ? 2 : 1))
            }
            let run = rest[..<end]
            count += isSymbol ? symbols.append(run, to: &bytes) : others.append(run, to: &bytes)
            rest = rest[end...]
        }
        return Decoding(bytes: bytes, replacedCount: count)
    }

    /// ISO-2022-JP of the standard: ASCII, JIS X 0201 and JIS X 0208, as EUC-JP has them. A byte
    /// that belongs to none of them becomes 0xFF, which EUC-JP lacks.
    private static func eucJP(ofISO2022JP source: ArraySlice<UInt8>) -> [UInt8] {
        enum Mode { case ascii, katakana, kanji }
        let sequences: [([UInt8], Mode)] = [
            (Array("(B".utf8), .ascii), (Array("(J".utf8), .ascii), (Array("(I".utf8), .katakana),
            (Array("$@".utf8), .kanji), (Array("$B".utf8), .kanji),
        ]
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var mode = Mode.ascii
        var rest = source
        while let byte = rest.popFirst() {
            if byte == 0x1B {
                guard let (sequence, next) = sequences.first(where: { rest.starts(with: $0.0) })
                else {
                    result.append(0xFF)
                    continue
                }
                mode = next
                rest = rest.dropFirst(sequence.count)
            } else if byte < 0x21 {
                result.append(byte)
            } else if byte >= 0x7F {
                result.append(byte == 0x7F && mode == .ascii ? byte : 0xFF)
            } else if mode == .ascii {
                result.append(byte)
            } else if mode == .katakana {
                result.append(contentsOf: byte < 0x60 ? [0x8E, byte | 0x80] : [0xFF])
            } else if let trail = rest.first, (0x21...0x7E).contains(trail) {
                rest.removeFirst()
                result.append(contentsOf: [byte | 0x80, trail | 0x80])
            } else {
                result.append(0xFF)
            }
        }
        return result
    }
}
