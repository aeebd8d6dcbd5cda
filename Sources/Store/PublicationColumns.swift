import GRDB
import PubSub
import Timekeeping

/// Several texts in one column: of each its length plus one, as a variable-length integer of seven bits
/// a byte with the lowest first, and its bytes; 0 stands for a text that is missing.
///
/// Not JSON: a client's own text need not be valid, and what goes in comes out as it was.
struct TextList: Equatable {
    var texts: [[UInt8]?]

    init(_ texts: [[UInt8]?]) {
        self.texts = texts
    }

    /// Nil for bytes that `bytes` can't have returned.
    init?(bytes: [UInt8]) {
        var rest = bytes[...]
        texts = []
        while !rest.isEmpty {
            guard let prefix = Self.takeInteger(&rest), prefix <= rest.count + 1 else { return nil }
            texts.append(prefix == 0 ? nil : Array(rest.prefix(prefix - 1)))
            rest = rest.dropFirst(max(prefix, 1) - 1)
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for text in texts {
            var prefix = text.map { $0.count + 1 } ?? 0
            while prefix >= 0x80 {
                bytes.append(UInt8(prefix & 0x7F) | 0x80)
                prefix >>= 7
            }
            bytes.append(UInt8(prefix))
            if let text { bytes += text }
        }
        return bytes
    }

    private static func takeInteger(_ rest: inout ArraySlice<UInt8>) -> Int? {
        var value = 0
        // Five groups hold more than the longest value of a column, 2^31 bytes.
        for shift in stride(from: 0, to: 35, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension TextList {
    /// A publication's tags: keys in order, each followed by its value.
    init(tags: [String: String]) {
        self.init(tags.sorted { $0.key < $1.key }.flatMap { [Array($0.utf8), Array($1.utf8)] })
    }

    var tags: [String: String]? {
        guard texts.count.isMultiple(of: 2) else { return nil }
        var tags: [String: String] = [:]
        for index in stride(from: 0, to: texts.count, by: 2) {
            guard let key = texts[index], let value = texts[index + 1] else { return nil }
            tags[String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
        return tags
    }

    init(info: ClientInfo) {
        self.init([
            Array(info.user.utf8), Array(info.client.utf8), info.connectionInfo, info.topicInfo,
        ])
    }

    var info: ClientInfo? {
        guard texts.count == 4, let user = texts[0], let client = texts[1] else { return nil }
        return ClientInfo(
            user: String(decoding: user, as: UTF8.self),
            client: String(decoding: client, as: UTF8.self),
            connectionInfo: texts[2],
            topicInfo: texts[3]
        )
    }
}

extension Publication {
    /// A row of `SQL.selectNewest`.
    init(_ row: Row, topic: Topic) throws {
        let cursor = UInt64(row[1] as Int64)
        func part<Value>(_ index: Int, _ read: (TextList) -> Value?) throws -> Value? {
            guard !row.hasNull(atIndex: index) else { return nil }
            guard let value = TextList(bytes: row.bytes(index)).flatMap(read) else {
                throw DatabaseError(
                    resultCode: .SQLITE_CORRUPT,
                    message: "column \(index) of publication \(cursor) is bad"
                )
            }
            return value
        }
        self.init(
            topic: topic,
            offset: UInt64(row[0] as Int64),
            cursor: cursor,
            time: Timestamp(milliseconds: row[2]),
            payload: row.bytes(3),
            tags: try part(4, \.tags) ?? [:],
            info: try part(5, \.info),
            allowsDelta: row[6]
        )
    }
}
