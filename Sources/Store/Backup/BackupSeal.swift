/// The last line of a backup, after the database: the length and the SHA-256 digest of all bytes
/// before it.
///
/// SQLite ignores bytes after the last page, so a sealed backup is still a database that every tool
/// of SQLite opens. A digest finds damage that SQLite's own check does not: a changed byte in a
/// value, or in a free page.
struct BackupSeal: Equatable {
    /// The length of the database in bytes.
    let length: Int
    /// In hexadecimal.
    let digest: String

    private static let begin = "\nvarde-backup-1 sha256="
    private static let middle = " length="
    private static let digestCount = 64
    private static let lengthCount = 19

    /// The length of the line in bytes.
    static let size = begin.utf8.count + digestCount + middle.utf8.count + lengthCount + 1

    init(length: Int, digest: [UInt8]) {
        self.length = length
        self.digest = digest.map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }

    /// Nil for bytes that `bytes` cannot have returned.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.count == Self.size, text.hasPrefix(Self.begin), text.hasSuffix("\n"),
            let separator = text.dropFirst(Self.begin.count).firstIndex(of: " ")
        else { return nil }
        let digest = text[text.index(text.startIndex, offsetBy: Self.begin.count)..<separator]
        let rest = text[separator...].dropLast()
        guard digest.utf8.count == Self.digestCount,
            digest.allSatisfy({ "0123456789abcdef".contains($0) }),
            rest.hasPrefix(Self.middle),
            let length = Int(rest.dropFirst(Self.middle.count)), length >= 0
        else { return nil }
        self.length = length
        self.digest = String(digest)
        guard self.bytes == bytes else { return nil }
    }

    var bytes: [UInt8] {
        let number = String(length)
        let zeros = String(repeating: "0", count: Self.lengthCount - number.utf8.count)
        return Array("\(Self.begin)\(digest)\(Self.middle)\(zeros)\(number)\n".utf8)
    }
}
