import COpenSSL

/// Base64 with padding (RFC 4648 §4).
package func base64(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4 + 1) { text in
        Int(EVP_EncodeBlock(text.baseAddress, bytes, Int32(bytes.count)))
    }
}

/// Decodes base64 with its padding; nil if the length is not a multiple of 4, a character is
/// foreign, or padding occurs before the end.
package func bytes(base64 text: some StringProtocol) -> [UInt8]? {
    let input = Array(text.utf8)
    let padding = input.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard input.count % 4 == 0, input.dropLast(padding).allSatisfy(isBase64) else { return nil }
    guard !input.isEmpty else { return [] }
    var output = [UInt8](repeating: 0, count: input.count / 4 * 3)
    // EVP_DecodeBlock counts the padding as zero bytes, and skips white space, which is foreign here.
    let length = Int(EVP_DecodeBlock(&output, input, Int32(input.count)))
    guard length >= padding else { return nil }
    return Array(output.prefix(length - padding))
}

private func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
        return true
    default: return false
    }
}
