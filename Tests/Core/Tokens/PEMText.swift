import Base

/// Texts in PEM (RFC 7468) for tests.
enum PEMText {
    /// - Parameter width: of the lines.
    static func block(_ label: String, _ bytes: [UInt8], width: Int = 64) -> String {
        let text = Array(base64(bytes).utf8)
        let lines = stride(from: 0, to: text.count, by: width).map { start in
            String(decoding: text[start..<min(start + width, text.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----"])
            .joined(separator: "\n") + "\n"
    }

    /// A SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) of rsaEncryption.
    static func rsaPublicKey(_ modulus: [UInt8], _ exponent: [UInt8]) -> String {
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0,
        ]
        let key = element(0x30, number(modulus) + number(exponent))
        return block("PUBLIC KEY", element(0x30, algorithm + element(0x03, [0] + key)))
    }

    /// An INTEGER in DER, from a number without a sign.
    private static func number(_ bytes: [UInt8]) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.isEmpty || digits[0] >= 0x80 { digits.insert(0, at: 0) }
        return element(0x02, digits)
    }

    /// An element in DER with at most 64 KiB in it.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        guard count >= 0x80 else { return [tag, UInt8(count)] + content }
        guard count >= 0x100 else { return [tag, 0x81, UInt8(count)] + content }
        return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + content
    }

    /// The bytes of the one block of a text without anything around it.
    static func content(_ text: String) -> [UInt8] {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return bytes(base64: lines.joined()) ?? []
    }
}
