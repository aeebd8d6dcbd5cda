/// Where a list goes on.
package struct NewsCursor: Hashable, Sendable {
    /// The greatest id of an article when the first page was read. Later pages leave out newer
    /// articles: an article that raises its story before the cursor would hide it from the reader.
    package var generation: Int
    /// The last entry that the reader has.
    package var position: RankPosition
    /// The same for the second part of a list of two parts: the general side of the personal feed.
    package var second: RankPosition?

    package init(generation: Int, position: RankPosition, second: RankPosition? = nil) {
        self.generation = generation
        self.position = position
        self.second = second
    }
}

/// Writes cursors as opaque texts and reads them.
///
/// A text is base64url of the version, the generation, one or two positions, and the first bytes of
/// an HMAC-SHA256 over these and the name of the list, which contains the user if the list is a user's
/// own. So a reader can neither make up a cursor nor use that of another list.
package struct NewsCursors: Sendable {
    /// Bytes of a key.
    package static let keyLengthMin = 32

    private static let tagLengthMin = 16
    private static let keyedContext = "varde news cursor"

    private let key: [UInt8]

    /// - Parameter key: secret and the same after a restart; of `keyLengthMin` bytes at least.
    package init(key: [UInt8]) {
        precondition(key.count >= NewsCursors.keyLengthMin, "the key of cursors is too short")
        self.key = key
    }

    /// - Parameter list: the name of the list, such as `feed` or `personalized-feed:7`.
    package func text(of cursor: NewsCursor, list: String) -> String {
        let payload = Payload.bytes(of: cursor)
        return base64URL(payload + tag(of: payload, list: list))
    }

    /// - Parameters:
    ///   - list: as it was written for.
    ///   - oldestGeneration: older ones are refused as expired.
    package func cursor(
        _ text: String,
        list: String,
        oldestGeneration: Int
    ) throws(NewsCursorError) -> NewsCursor {
        guard
            let length = Payload.lengths.first(where: {
                NewsCursors.textLength($0) == text.utf8.count
            }),
            let bytes = bytes(base64URL: text)
        else { throw .malformed(length: text.utf8.count) }
        let payload = Array(bytes.prefix(length))
        // The tag first: data that it does not cover are not worth reading.
        guard isEqualInConstantTime(tag(of: payload, list: list), Array(bytes.dropFirst(length))),
            let cursor = Payload.cursor(of: payload)
        else { throw .notOfThisList }
        guard cursor.generation >= oldestGeneration else { throw .expired }
        return cursor
    }

    /// With the payload a multiple of three bytes, so that base64 has neither padding nor unused
    /// bits: each cursor has exactly one text.
    private static func tagLength(_ payloadLength: Int) -> Int {
        tagLengthMin + (3 - (payloadLength + tagLengthMin) % 3) % 3
    }

    private static func textLength(_ payloadLength: Int) -> Int {
        (payloadLength + tagLength(payloadLength)) / 3 * 4
    }

    private func tag(of payload: [UInt8], list: String) -> [UInt8] {
        // The lengths of both texts are in it, so no two pairs of list and payload have one
        // message.
        let context = "\(NewsCursors.keyedContext) \(list.utf8.count) \(list) "
        let digest = hmacSHA256(key: key, message: Array(context.utf8) + payload)
        return Array(digest.prefix(NewsCursors.tagLength(payload.count)))
    }
}

/// The bytes of a cursor: version, generation, and 16 bytes for each position; integers with the
/// most significant byte first.
private enum Payload {
    static let version: UInt8 = 1
    static let lengths = [25, 41]

    static func bytes(of cursor: NewsCursor) -> [UInt8] {
        var bytes = [version]
        append(UInt64(bitPattern: Int64(cursor.generation)), to: &bytes)
        for position in [cursor.position, cursor.second].compactMap(\.self) {
            append(position.key.bitPattern, to: &bytes)
            append(UInt64(bitPattern: Int64(position.id)), to: &bytes)
        }
        return bytes
    }

    /// Nil for another version, and for bytes that are not a cursor.
    static func cursor(of bytes: [UInt8]) -> NewsCursor? {
        guard bytes.first == version, lengths.contains(bytes.count) else { return nil }
        let words = stride(from: 1, to: bytes.count, by: 8).map { start in
            bytes[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        func position(_ index: Int) -> RankPosition? {
            let key = Double(bitPattern: words[index])
            return key.isNaN ? nil : RankPosition(key: key, id: integer(words[index + 1]))
        }
        guard let first = position(1) else { return nil }
        let second = words.count > 3 ? position(3) : nil
        guard words.count == 3 || second != nil else { return nil }
        return NewsCursor(generation: integer(words[0]), position: first, second: second)
    }

    private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }

    private static func integer(_ word: UInt64) -> Int { Int(Int64(bitPattern: word)) }
}

/// RFC 4648 §5, of a multiple of three bytes.
private func base64URL(_ bytes: [UInt8]) -> String {
    String(
        base64(bytes).map { character in
            switch character {
            case "+": "-"
            case "/": "_"
            default: character
            }
        }
    )
}

private func bytes(base64URL text: String) -> [UInt8]? {
    // Their places in this alphabet are taken by others, and padding is for other lengths.
    guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
    let standard = text.map { character -> Character in
        switch character {
        case "-": "+"
        case "_": "/"
        default: character
        }
    }
    return bytes(base64: String(standard))
}

/// Why a text is not a cursor of a list.
package enum NewsCursorError: Error, Equatable, CustomStringConvertible {
    case malformed(length: Int)
    /// Of another list, another user or another hub, or changed.
    case notOfThisList
    /// The articles that it leads to are no longer kept in its order.
    case expired

    package var description: String {
        switch self {
        case .malformed(let length): "cursor is malformed, \(length) bytes"
        case .notOfThisList: "cursor is not one of this list"
        case .expired: "cursor has expired; start again without one"
        }
    }
}

extension NewsError {
    package static func invalidCursor(_ error: NewsCursorError) -> NewsError {
        NewsError(status: 400, "Invalid cursor", details: error.description)
    }
}
