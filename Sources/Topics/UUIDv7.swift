/// The random bytes that one version 7 UUID takes.
package let uuidRandomLength = 10

/// A UUID of version 7 in lower case: its text sorts by `wall`, to the millisecond.
///
/// - Parameter random: 10 bytes; 6 of their 80 bits give way to version and variant.
///
/// Source: RFC 9562 §5.7.
package func uuidVersion7(wall: Timestamp, random: [UInt8]) -> String {
    precondition(random.count == uuidRandomLength)
    let milliseconds = UInt64(clamping: wall.milliseconds)
    var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * $0)) }
    bytes += random
    bytes[6] = bytes[6] & 0x0F | 0x70
    bytes[8] = bytes[8] & 0x3F | 0x80

    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for (index, byte) in bytes.enumerated() {
        if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 0xF)])
    }
    return String(decoding: text, as: UTF8.self)
}
