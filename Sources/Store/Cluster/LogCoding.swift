/// The bytes of a batch's records in table `batch`.
///
/// The first byte is the version of the format. Each record is a byte for its kind and its fields:
/// integers as variable-length integers of seven bits a byte with the lowest first, negative ones
/// as the 64 bits of their two's complement; texts and bytes with their length in front; tags and
/// client infos as `TextList`, empty for none.
enum LogCoding {
    static let version: UInt8 = 1

    private enum Kind: UInt8 {
        case publication = 1
        case removal, erasure, forgotten, deliveries, note, state
    }

    // MARK: Encode

    static func encode(_ records: [LogRecord]) -> [UInt8] {
        var bytes = [version]
        for record in records { append(record, to: &bytes) }
        return bytes
    }

    private static func append(_ record: LogRecord, to bytes: inout [UInt8]) {
        func begin(_ kind: Kind) { bytes.append(kind.rawValue) }
        switch record {
        case .publication(let publication):
            begin(.publication)
            append(publication, to: &bytes)
        case .removal(let removal):
            begin(.removal)
            append(removal.topic.name, to: &bytes)
            append(removal.throughOffset, to: &bytes)
            append(removal.throughCursor, to: &bytes)
        case .erasure(let erasure):
            begin(.erasure)
            append(erasure.topic.name, to: &bytes)
            append(erasure.tag, to: &bytes)
            append(erasure.value, to: &bytes)
        case .forgotten(let forgotten):
            begin(.forgotten)
            append(forgotten.topic.name, to: &bytes)
            append(forgotten.throughCursor, to: &bytes)
        case .deliveries(let queued, let erased):
            begin(.deliveries)
            append(UInt64(queued.count), to: &bytes)
            for endpoint in queued { append(endpoint, to: &bytes) }
            append(UInt64(erased.count), to: &bytes)
            for id in erased { append(UInt64(bitPattern: id), to: &bytes) }
        case .note(let note):
            begin(.note)
            append(note.kind, to: &bytes)
            append(note.body, to: &bytes)
        case .state(let domains):
            begin(.state)
            append(UInt64(domains.count), to: &bytes)
            for domain in domains { append(domain, to: &bytes) }
        }
    }

    private static func append(_ publication: Publication, to bytes: inout [UInt8]) {
        append(publication.topic.name, to: &bytes)
        append(publication.offset, to: &bytes)
        append(publication.cursor, to: &bytes)
        append(UInt64(bitPattern: publication.time.milliseconds), to: &bytes)
        append(publication.payload, to: &bytes)
        append(publication.tags.isEmpty ? [] : TextList(tags: publication.tags).bytes, to: &bytes)
        append(publication.info.map { TextList(info: $0).bytes } ?? [], to: &bytes)
        bytes.append(publication.allowsDelta ? 1 : 0)
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(UInt64(text.utf8.count), to: &bytes)
        bytes += text.utf8
    }

    private static func append(_ value: [UInt8], to bytes: inout [UInt8]) {
        append(UInt64(value.count), to: &bytes)
        bytes += value
    }

    // MARK: Decode

    /// - Throws: `DamagedValue` for bytes that `encode` of this version cannot have returned.
    static func decode(_ bytes: [UInt8]) throws(DamagedValue) -> [LogRecord] {
        var reader = Reader(rest: bytes[...])
        let found = try reader.byte()
        guard found == version else {
            throw DamagedValue("a batch of the log has format \(found), this hub reads \(version)")
        }
        var records: [LogRecord] = []
        while !reader.rest.isEmpty { records.append(try reader.record()) }
        return records
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func record() throws(DamagedValue) -> LogRecord {
            let byte = try byte()
            guard let kind = Kind(rawValue: byte) else {
                throw DamagedValue("a batch of the log has a record of kind \(byte)")
            }
            switch kind {
            case .publication: return .publication(try publication())
            case .removal:
                return .removal(
                    HistoryRemoval(
                        topic: try topic(),
                        throughOffset: try integer(),
                        throughCursor: try integer()
                    )
                )
            case .erasure:
                return .erasure(Erasure(topic: try topic(), tag: try text(), value: try text()))
            case .forgotten:
                return .forgotten(ForgottenTopic(try topic(), throughCursor: try integer()))
            case .deliveries:
                var queued: [String] = []
                for _ in 0..<(try count()) { queued.append(try text()) }
                var erased: [Int64] = []
                for _ in 0..<(try count()) { erased.append(Int64(bitPattern: try integer())) }
                return .deliveries(queued: queued, erased: erased)
            case .note: return .note(ClusterNote(kind: try text(), body: try block()))
            case .state:
                var domains: [String] = []
                for _ in 0..<(try count()) { domains.append(try text()) }
                return .state(domains)
            }
        }

        private mutating func publication() throws(DamagedValue) -> Publication {
            let (topic, offset, cursor) = (try topic(), try integer(), try integer())
            let time = Int64(bitPattern: try integer())
            let payload = try block()
            let (tagBytes, infoBytes) = (try block(), try block())
            var tags: [String: String] = [:]
            if !tagBytes.isEmpty {
                guard let found = TextList(bytes: tagBytes)?.tags else { throw damaged("tags") }
                tags = found
            }
            var info: ClientInfo?
            if !infoBytes.isEmpty {
                guard let found = TextList(bytes: infoBytes)?.info else {
                    throw damaged("a client info")
                }
                info = found
            }
            let flag = try byte()
            guard flag <= 1 else { throw damaged("a flag") }
            return Publication(
                topic: topic,
                offset: offset,
                cursor: cursor,
                time: Timestamp(milliseconds: time),
                payload: payload,
                tags: tags,
                info: info,
                allowsDelta: flag == 1
            )
        }

        private func damaged(_ what: String) -> DamagedValue {
            DamagedValue("\(what) in a batch of the log cannot be read")
        }

        mutating func byte() throws(DamagedValue) -> UInt8 {
            guard let byte = rest.popFirst() else { throw damaged("the end") }
            return byte
        }

        private mutating func integer() throws(DamagedValue) -> UInt64 {
            var value: UInt64 = 0
            for shift in stride(from: 0, to: 64, by: 7) {
                let byte = try byte()
                // The tenth byte holds the last bit.
                guard shift < 63 || byte <= 1 else { throw damaged("an integer") }
                value |= UInt64(byte & 0x7F) << UInt64(shift)
                if byte < 0x80 { return value }
            }
            throw damaged("an integer")
        }

        /// The number of values that follow, each of at least one byte.
        private mutating func count() throws(DamagedValue) -> Int {
            let count = try integer()
            guard count <= UInt64(rest.count) else { throw damaged("a length") }
            return Int(count)
        }

        private mutating func block() throws(DamagedValue) -> [UInt8] {
            let length = try count()
            defer { rest = rest.dropFirst(length) }
            return Array(rest.prefix(length))
        }

        private mutating func text() throws(DamagedValue) -> String {
            String(decoding: try block(), as: UTF8.self)
        }

        private mutating func topic() throws(DamagedValue) -> Topic {
            do {
                return try Topic(try text())
            } catch {
                throw damaged("a topic")
            }
        }
    }
}
