/// The publications of a subscribe reply, encoded: a JSON array, or the reply's repeated field.
/// Replies to history commands also contain the array.
package struct RecoveredPublications: Equatable, Sendable {
    let bytes: [UInt8]

    init(
        _ publications: [Publication],
        delta: CentrifugePush.DeltaForm?,
        _ encoding: ClientEncoding
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(publications.reduce(0) { $0 + $1.wireLength })
        switch encoding {
        case .json:
            bytes.append(UInt8(ascii: "["))
            for (index, publication) in publications.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                CentrifugePush.appendObject(publication, delta, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .protobuf:
            for publication in publications {
                bytes.append(ProtobufKey.publicationsOfSubscribeResult)
                appendDelimited(WirePublication(publication, nil), to: &bytes)
            }
        }
        self.bytes = bytes
    }
}

/// The encoded publications of recent recoveries. When all clients reconnect at once, most have
/// missed the same publications: they are encoded for the first client and copied for the others.
package struct RecoveryCache: Sendable {
    /// Different positions that clients come back from at one time, in both encodings.
    static let entriesMax = 8
    static let bytesMax = 1 << 20

    /// A cursor belongs to one publication of one topic, so these are all that lie between two of them;
    /// an erasure in between changes the count.
    private struct Key: Equatable {
        let first: UInt64
        let last: UInt64
        let count: Int
        let usesDelta: Bool
        let encoding: ClientEncoding
    }

    private struct Entry {
        let key: Key
        let recovered: RecoveredPublications
    }

    /// Those that were made first come first.
    private var entries: [Entry] = []
    private(set) var byteCount = 0

    package init() {}

    var count: Int { entries.count }

    /// - Parameter publications: of one topic, oldest first, none left out except erased ones.
    package mutating func recovered(
        _ publications: [Publication],
        usesDelta: Bool,
        _ encoding: ClientEncoding
    ) -> RecoveredPublications? {
        guard let first = publications.first, let last = publications.last else { return nil }
        let key = Key(
            first: first.cursor,
            last: last.cursor,
            count: publications.count,
            usesDelta: usesDelta,
            encoding: encoding
        )
        if let entry = entries.last(where: { $0.key == key }) { return entry.recovered }
        let recovered = RecoveredPublications(
            publications,
            delta: usesDelta ? .full : nil,
            encoding
        )
        keep(Entry(key: key, recovered: recovered))
        return recovered
    }

    private mutating func keep(_ entry: Entry) {
        let length = entry.recovered.bytes.count
        guard length <= Self.bytesMax else { return }
        while entries.count >= Self.entriesMax || byteCount + length > Self.bytesMax {
            byteCount -= entries.removeFirst().recovered.bytes.count
        }
        entries.append(entry)
        byteCount += length
    }
}
