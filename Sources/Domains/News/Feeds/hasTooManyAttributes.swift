/// Whether an element has more attributes than `countMax`.
///
/// libxml2 compares each attribute of an element with all others: an element of 2 MB would take
/// minutes. A tag is everything from a `<` to a `>` outside of quotes, or to the next `<`. libxml2
/// reads no further attributes of a tag behind a fault, so it never sees more of them than are
/// counted here.
func hasTooManyAttributes(_ bytes: [UInt8], countMax: Int) -> Bool {
    bytes.withUnsafeBytes { bytes in
        var index = 0
        while index < bytes.count {
            index = ByteSearch.index(of: UInt8(ascii: "<"), in: bytes, from: index) + 1
            var quote: UInt8 = 0
            var count = 0
            while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
                let byte = bytes[index]
                if quote != 0 {
                    if byte == quote { quote = 0 }
                } else if byte == UInt8(ascii: ">") {
                    break
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                    count += 1
                    if count > countMax { return true }
                }
                index += 1
            }
        }
        return false
    }
}
