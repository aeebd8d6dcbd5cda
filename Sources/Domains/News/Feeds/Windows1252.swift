/// The encoding of Western European Windows, the superset of ISO-8859-1 that most texts so labelled
/// are in.
enum Windows1252 {
    /// Of the bytes 0x80 to 0x9F; U+FFFD for the five that are not assigned.
    private static let scalars: [Unicode.Scalar] = [
        "€", "\u{FFFD}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{FFFD}", "Ž",
        "\u{FFFD}", "\u{FFFD}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ",
        "\u{FFFD}", "ž", "Ÿ",
    ]
    private static let controls: Range<UInt8> = 0x80..<0xA0

    static func utf8(_ source: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count + source.count / 8)
        for byte in source {
            if byte < 0x80 {
                bytes.append(byte)
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar(of: byte))!)
            }
        }
        return bytes
    }

    /// In place of the control characters U+0080 to U+009F, the characters that Windows has there:
    /// authors of `&#146;` mean an apostrophe.
    static func replaceControls(in bytes: inout [UInt8]) {
        let first = bytes.withUnsafeBytes { ByteSearch.index(of: 0xC2, in: $0) }
        guard first < bytes.count else { return }
        let hasControl = zip(bytes[first...], bytes[first...].dropFirst())
            .contains { $0 == 0xC2 && controls.contains($1) }
        guard hasControl else { return }
        var replaced: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == 0xC2, let next = rest.first, controls.contains(next) {
                rest.removeFirst()
                replaced.append(contentsOf: UTF8.encode(scalar(of: next))!)
            } else {
                replaced.append(byte)
            }
        }
        bytes = replaced
    }

    private static func scalar(of byte: UInt8) -> Unicode.Scalar {
        controls.contains(byte) ? scalars[Int(byte - controls.lowerBound)] : Unicode.Scalar(byte)
    }
}
