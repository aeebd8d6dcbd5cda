/// An idempotency key of a topic. Keys are compared byte by byte.
struct KeyID: Hashable {
    let topicID: Int64
    let key: ExactText

    init(_ key: String, ofTopic id: Int64) {
        topicID = id
        self.key = ExactText(key)
    }
}

/// The event that was published with an idempotency key.
struct KeyUse {
    let offset: UInt64
    let time: Timestamp
}

/// The keys and versions that the conditional events of one transaction are compared with, and the
/// number of keys that they add.
struct EventConditions {
    /// Nil while each event asks the store.
    private var known: Known?
    /// The number of keys that were added.
    private(set) var newKeyCount = 0
    /// The time of the last of them.
    private(set) var newestKeyTime: Timestamp?

    private struct Known {
        /// With nil for a key that the store does not have.
        var keys: [KeyID: KeyUse?] = [:]
        var versions: [Int64: EventVersion?] = [:]
    }

    /// - Parameter isReadAhead: whether keys and versions are read before the events that need them.
    init(isReadAhead: Bool) {
        if isReadAhead { known = Known() }
    }

    var isReadAhead: Bool { known != nil }

    /// - Returns: nil if it was not read ahead.
    func use(of id: KeyID) -> KeyUse?? { known?.keys[id] }

    /// - Returns: nil if it was not read ahead.
    func version(ofTopic id: Int64) -> EventVersion?? { known?.versions[id] }

    /// Takes what was read, nil if the store does not have it.
    mutating func add(_ use: KeyUse?, of id: KeyID) { known?.keys[id] = .some(use) }

    mutating func add(_ version: EventVersion?, ofTopic id: Int64) {
        known?.versions[id] = .some(version)
    }

    /// Takes what an event has published.
    mutating func note(_ use: KeyUse, of id: KeyID) {
        newKeyCount += 1
        newestKeyTime = use.time
        add(use, of: id)
    }
}

extension SQLSession {
    func insert(_ use: KeyUse, of id: KeyID) throws {
        let (offset, time) = (Int64(use.offset), use.time.milliseconds)
        switch engine {
        case .sqlite:
            try run(SQL.insertIdempotencyKey, [id.topicID, id.key.text, offset, time])
        case .postgres(let session):
            try session.add { $0.append(IdempotencyRow(id: id, offset: offset, time: time)) }
        }
    }

    func setVersion(_ version: EventVersion, ofTopic id: Int64) throws {
        switch engine {
        case .sqlite:
            let number = Int64(bitPattern: version.number)
            try run(SQL.upsertVersion, [id, number, version.epoch])
        case .postgres(let session):
            try session.add { $0.setVersion(version, ofTopic: id) }
        }
    }

    /// Notes an event without a row, but with a version or a key.
    func setPastTime(_ time: Timestamp, ofTopic id: Int64) throws {
        switch engine {
        case .sqlite: try run(SQL.updatePastTime, [time.milliseconds, id])
        case .postgres(let session):
            try session.add { $0.setPastTime(time.milliseconds, ofTopic: id) }
        }
    }

    func setBeginning(_ beginning: UInt64, ofTopic id: Int64) throws {
        switch engine {
        case .sqlite: try run(SQL.updateBeginning, [Int64(beginning), id])
        case .postgres(let session):
            try session.add { $0.setBeginning(Int64(beginning), ofTopic: id) }
        }
    }
}
