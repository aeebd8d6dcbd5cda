import CLibXML
import Glibc

/// Converts text in one encoding of iconv to UTF-8. As the WHATWG's standard requires, a sequence
/// that the encoding lacks becomes U+FFFD, and decoding goes on behind it.
struct CharacterConversion: ~Copyable {
    private let descriptor: iconv_t
    private let name: String

    /// Nil if iconv lacks the encoding.
    init?(from name: String) {
        // iconv_open returns -1, not a null pointer, for an unknown name.
        guard let descriptor = iconv_open("UTF-8", name), Int(bitPattern: descriptor) != -1 else {
            return nil
        }
        self.descriptor = descriptor
        self.name = name
    }

    deinit { iconv_close(descriptor) }

    private static let partLength = 4096

    /// Appends the text of `source`, and returns the number of invalid sequences.
    mutating func append(_ source: ArraySlice<UInt8>, to output: inout [UInt8]) -> Int {
        var part = [CChar](repeating: 0, count: CharacterConversion.partLength)
        var rest = source
        var invalidCount = 0
        while !rest.isEmpty {
            let (consumed, written, isInvalid) = convert(rest, into: &part)
            output.append(contentsOf: part[..<written].lazy.map { UInt8(bitPattern: $0) })
            rest = rest.dropFirst(consumed)
            if isInvalid {
                output.append(contentsOf: "\u{FFFD}".utf8)
                invalidCount += 1
                rest = rest.dropFirst(invalidLength(rest))
            } else if consumed == 0, written == 0 {
                // Neither progress nor an error: iconv never does so.
                break
            }
        }
        let written = flush(into: &part)
        output.append(contentsOf: part[..<written].lazy.map { UInt8(bitPattern: $0) })
        return invalidCount
    }

    private func convert(
        _ source: ArraySlice<UInt8>,
        into part: inout [CChar]
    ) -> (consumed: Int, written: Int, isInvalid: Bool) {
        // Unsafe: iconv does not write to its input, and keeps no pointer.
        source.withUnsafeBytes { source in
            part.withUnsafeMutableBufferPointer { part in
                var input = UnsafeMutableRawPointer(mutating: source.baseAddress)?
                    .assumingMemoryBound(to: CChar.self)
                var inputLeft = source.count
                var output = part.baseAddress
                var outputLeft = part.count
                let result = iconv(descriptor, &input, &inputLeft, &output, &outputLeft)
                // An incomplete sequence at the end (EINVAL) is also invalid. E2BIG means that the
                // part is full.
                let isInvalid = result == Int(bitPattern: UInt.max) && errno != E2BIG
                return (source.count - inputLeft, part.count - outputLeft, isInvalid)
            }
        }
    }

    /// A character that could have been combined with one more.
    private func flush(into part: inout [CChar]) -> Int {
        part.withUnsafeMutableBufferPointer { part in
            var output = part.baseAddress
            var outputLeft = part.count
            _ = iconv(descriptor, nil, nil, &output, &outputLeft)
            return part.count - outputLeft
        }
    }

    /// The length of the invalid sequence at the start of `rest`: a lead byte takes its trail with
    /// it, unless that is ASCII, which may be markup.
    private func invalidLength(_ rest: ArraySlice<UInt8>) -> Int {
        if name.hasPrefix("UTF-32") { return 4 }
        guard let lead = rest.first, isLead(lead) else { return 1 }
        let isThree = lead == 0x8F && name == "EUC-JP-MS"
        let trails = rest.dropFirst().prefix(isThree ? 2 : 1).prefix { $0 >= 0x80 }
        return 1 + trails.count
    }

    private func isLead(_ byte: UInt8) -> Bool {
        switch name {
        case "CP932": (0x81...0x9F).contains(byte) || (0xE0...0xFC).contains(byte)
        case "EUC-JP-MS": (0xA1...0xFE).contains(byte) || byte == 0x8E || byte == 0x8F
        case "CP949", "GB18030", "BIG5", "BIG5-HKSCS": (0x81...0xFE).contains(byte)
        default: false
        }
    }
}
