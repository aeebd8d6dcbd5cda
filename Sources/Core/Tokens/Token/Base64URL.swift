/// Base64 with the alphabet of addresses and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
    /// Nil unless `text` is the one text that `encode` makes of some bytes: no padding, no foreign
    /// character, and no bits of the last character that are not used but set. So a token cannot be
    /// altered into another text that is as good.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.allSatisfy(isDigit), text.count % 4 != 1 else { return nil }
        let standard = text.map(standardDigit)
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        let decoded = bytes(base64: String(decoding: standard, as: UTF8.self) + padding)
        guard let decoded, encode(decoded).utf8.elementsEqual(text) else { return nil }
        return decoded
    }

    /// The bytes of a number in a published key (RFC 7518 §2, Base64urlUInt); nil for text that is
    /// not base64.
    ///
    /// Also accepts the variants of some publishers: padding, the alphabet of RFC 4648 §4, unused
    /// bits that are set. Unlike with a token, another text for the same number has no advantage
    /// for an attacker.
    package static func decodeNumber(_ text: String) -> [UInt8]? {
        var digits = text.utf8.map(standardDigit)
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
        guard padding.utf8.count < 3 else { return nil }
        return bytes(base64: String(decoding: digits, as: UTF8.self) + padding)
    }

    package static func encode(_ bytes: [UInt8]) -> String {
        var text = base64(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }.map { $0 }
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "+"): text[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): text[index] = UInt8(ascii: "_")
            default: continue
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A digit in the alphabet of RFC 4648 §4.
    private static func standardDigit(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: byte
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
