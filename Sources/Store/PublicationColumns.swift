/// Several texts in one column: for each its length plus one, as a variable-length integer of seven
/// bits a byte with the lowest first, and its bytes; 0 is a missing text.
///
/// Not JSON: a client's own text need not be valid, and the texts are returned unchanged.
struct TextList: Equatable {
    var texts: [[UInt8]?]

    init(_ texts: [[UInt8]?]) {
        self.texts = texts
    }

    /// Returns nil for bytes that `bytes` cannot have returned.
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
    /// Reads a row of `SQL.selectNewest`; nil when its bytes are not those that were written.
    ///
    /// Damage can make any column NULL, or a value of another type.
    convenience init?(intact row: SQLRow, topic: Topic, topicID: Int64) {
        guard let offset = try? row[0] as Int64, let cursor = try? row[1] as Int64,
            let time = try? row[2] as Int64, let payload = try? row[3] as [UInt8],
            let allowsDelta = try? row[6] as Int64, offset > 0, cursor > 0
        else { return nil }
        let (tags, info): ([UInt8]?, [UInt8]?)
        let (checked, uncheckedCursor): (Int64?, Int64?)
        do {
            (tags, info) = (try row[4], try row[5])
            (checked, uncheckedCursor) = (try row[7], try row[8])
        } catch { return nil }
        if let stored = checked {
            let checksum = Checksum(
                ofPublication: (topicID, offset, cursor, time),
                payload,
                tags: tags,
                info: info,
                allowsDelta: allowsDelta != 0
            )
            guard stored == Int64(checksum.value) else { return nil }
        } else {
            guard cursor <= uncheckedCursor ?? 0 else { return nil }
        }
        var tagsOfRow: [String: String] = [:]
        if let tags {
            guard let found = TextList(bytes: tags)?.tags else { return nil }
            tagsOfRow = found
        }
        var infoOfRow: ClientInfo?
        if let info {
            guard let found = TextList(bytes: info)?.info else { return nil }
            infoOfRow = found
        }
        self.init(
            topic: topic,
            offset: UInt64(offset),
            cursor: UInt64(cursor),
            time: Timestamp(milliseconds: time),
            payload: payload,
            tags: tagsOfRow,
            info: infoOfRow,
            allowsDelta: allowsDelta != 0
        )
    }
}
