import DomainKit

/// The place after which a list of opinions continues: an opinion's time and id, which never
/// change. So opinions that arrive meanwhile do not move the place: they are newer, or come later
/// in the list.
package struct OpinionCursor: Hashable, Sendable {
    package var createdAt: Timestamp
    package var id: String

    package init(createdAt: Timestamp, id: String) {
        self.createdAt = createdAt
        self.id = id
    }

    private static let version: UInt8 = 1
    private static let timeLength = 8
    private static let checkLength = 4
    /// Bytes of an opinion's id.
    private static let idLengthMax = 512
    private static let textLengthMax = 2 * (1 + timeLength + checkLength + idLengthMax)

    /// Base64url of the version, the time, four bytes of a digest over all of it and the radar, and the id. The digest
    /// finds mistakes: a cursor opens nothing that its reader could not read without it.
    package func text(of radarID: String) -> String {
        let word = UInt64(bitPattern: createdAt.milliseconds)
        let time = stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: word >> $0)
        }
        let check = OpinionCursor.check(time, Array(id.utf8), radarID)
        return Base64URL.encode([OpinionCursor.version] + time + check + Array(id.utf8))
    }

    /// Nil for a text that is no cursor of this radar's opinions.
    package init?(_ text: String, of radarID: String) {
        let start = 1 + OpinionCursor.timeLength + OpinionCursor.checkLength
        guard text.utf8.count <= OpinionCursor.textLengthMax,
            let bytes = Base64URL.decode(Array(text.utf8)[...]),
            bytes.count > start, bytes[0] == OpinionCursor.version,
            let id = String(validating: bytes[start...], as: UTF8.self)
        else { return nil }
        let time = Array(bytes[1...OpinionCursor.timeLength])
        let check = Array(bytes[(1 + OpinionCursor.timeLength)..<start])
        guard check == OpinionCursor.check(time, Array(id.utf8), radarID) else { return nil }
        let word = time.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(createdAt: Timestamp(milliseconds: Int64(bitPattern: word)), id: id)
    }

    private static func check(_ time: [UInt8], _ id: [UInt8], _ radarID: String) -> [UInt8] {
        Array(sha256(time + id + Array("\n\(radarID)".utf8)).prefix(checkLength))
    }
}
