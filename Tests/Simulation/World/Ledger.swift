import Hub

/// What a store has committed, and what the invariants are held against.
///
/// `@unchecked Sendable`: the hub's closures demand it; a world lives on one thread.
class Ledger: @unchecked Sendable {
    typealias Completion = ((any Error)?) -> Void

    enum Write {
        case change(Change)
        /// What is known of a row of the outbox after an attempt.
        case attempt(row: Int64, Delivery)
        /// Of a topic of which nothing is left, if that is so by then.
        case forgetting(topic: Int)
    }

    struct OutboxEntry {
        var id: Int64
        var message: NewDelivery
        var progress: Delivery
    }

    /// What is in the file.
    struct Durable {
        var epoch = "epoch-1"
        var cursorBase: UInt64 = 1000
        var lastCursor: UInt64 = 1000
        /// By topic, every publication since it began: how much of it is kept is for the hub to say.
        var topics: [[Publication]] = Topics.all.map { _ in [] }
        /// By topic, the offset up to which its history was removed.
        var removedThrough: [UInt64] = Topics.all.map { _ in 0 }
        /// By topic, the offsets that were erased.
        var erased: [Set<UInt64>] = Topics.all.map { _ in [] }
        /// By topic, `TopicEpoch.beginning` of its epoch.
        var beginnings: [UInt64] = Topics.all.map { _ in 0 }
        /// By topic, the greatest cursor of what had been forgotten when it began.
        var formerCursors: [UInt64] = Topics.all.map { _ in 0 }
        /// By namespace, the greatest cursor of its forgotten topics.
        var forgotten: [String: UInt64] = [:]
        /// Of all topics, in the order of commits, and the beginnings of their epochs.
        var log: [Publication] = []
        var logBeginnings: [UInt64] = []
        var erasedCursors: Set<UInt64> = []
        var state: [String: [UInt8]] = [:]
        var validators: [String: [UInt8]] = [:]
        var outbox: [OutboxEntry] = []
        var lastRow: Int64 = 0
    }

    /// What the loops are told of a commit, in its order.
    enum Announcement {
        case publications([Publication])
        case removal(HistoryRemoval)
        case erasures([Erasure])
        case forgotten([ForgottenTopic])
    }

    struct PublicationKey: Hashable {
        var history: HistoryName
        var offset: UInt64
    }

    struct Acknowledgement {
        var topic: Int
        var offset: UInt64
        var cursor: UInt64
    }

    var durable = Durable()
    let trace: Trace
    var committed: [PublicationKey: Publication] = [:]
    var byCursor: [UInt64: Publication] = [:]
    var historiesByCursor: [UInt64: HistoryName] = [:]
    var everErased: Set<PublicationKey> = []
    private(set) var histories = KnownHistories()
    var acknowledged: [Acknowledgement] = []
    /// The greatest cursor of them all.
    var acknowledgedCursor: UInt64 = 0
    var published: Set<[UInt8]> = []
    /// Payloads that were refused, or whose outcome is unknown to their publisher.
    var refused: Set<[UInt8]> = []
    var unknown: Set<[UInt8]> = []
    /// Payloads that were committed, and lost with the power.
    var takenBack: Set<[UInt8]> = []

    init(trace: Trace) {
        self.trace = trace
    }

    /// What clients publish, each with a payload of its own.
    func change(of publications: [ClientPublication], at time: Timestamp) -> Change {
        for publication in publications {
            trace.expect(
                published.insert(publication.data).inserted,
                "\(publication.topic): handed to the store twice"
            )
        }
        return Change(
            events: publications.map {
                TopicEvent(topic: $0.topic, time: time, payload: $0.data)
            }
        )
    }

    // MARK: Commits

    /// Returns what is to be told: publications together, but for what was removed between them.
    func carryOut(_ writes: [Write]) -> [Announcement] {
        var announcements: [Announcement] = []
        var told = durable.log.count
        func tell() {
            announcements.append(.publications(Array(durable.log[told...])))
            told = durable.log.count
        }
        for write in writes {
            let removals = apply(write)
            guard !removals.isEmpty else { continue }
            tell()
            announcements += removals
        }
        if announcements.isEmpty || told < durable.log.count { tell() }
        return announcements
    }

    /// Returns what was removed.
    private func apply(_ write: Write) -> [Announcement] {
        switch write {
        case .change(let change): return apply(change)
        case .attempt(let row, let progress):
            if let index = durable.outbox.firstIndex(where: { $0.id == row }) {
                durable.outbox[index].progress = progress
            }
            return []
        case .forgetting(let topic): return forget(topic).map { [.forgotten([$0])] } ?? []
        }
    }

    private func apply(_ change: Change) -> [Announcement] {
        for event in change.events {
            let topic = Topics.index(event.topic.name)!
            durable.lastCursor += 1
            let publication = Publication(
                topic: event.topic,
                offset: UInt64(durable.topics[topic].count) + 1,
                cursor: durable.lastCursor,
                time: event.time,
                payload: event.payload,
                tags: event.tags
            )
            if publication.offset == 1 { begin(topic, with: publication) }
            durable.topics[topic].append(publication)
            durable.log.append(publication)
            durable.logBeginnings.append(durable.beginnings[topic])
        }
        for row in change.state { durable.state[row.key] = row.value }
        for row in change.feeds { durable.validators[row.name] = row.validators }
        for delivery in change.deliveries {
            durable.lastRow += 1
            durable.outbox.append(
                OutboxEntry(
                    id: durable.lastRow,
                    message: delivery,
                    progress: Delivery(now: delivery.createdAt)
                )
            )
        }
        var announcements = change.removedHistories.compactMap(removeHistory).map {
            Announcement.removal($0)
        }
        for erasure in change.erasures { erase(erasure) }
        if !change.erasures.isEmpty { announcements.append(.erasures(change.erasures)) }
        return announcements
    }

    private func erase(_ erasure: Erasure) {
        let topic = Topics.index(erasure.topic.name)!
        for publication in durable.topics[topic] where erasure.covers(publication.tags) {
            durable.erased[topic].insert(publication.offset)
            durable.erasedCursors.insert(publication.cursor)
            rememberErased(publication.offset, of: topic)
        }
    }

    func rememberErased(_ offset: UInt64, of topic: Int) {
        everErased.insert(PublicationKey(history: presentHistory(topic), offset: offset))
    }

    /// A topic that begins where others of its namespace were forgotten has an epoch of its own.
    private func begin(_ topic: Int, with first: Publication) {
        let former = durable.forgotten[String(first.topic.namespace)] ?? 0
        durable.formerCursors[topic] = former
        durable.beginnings[topic] = former == 0 ? 0 : first.cursor - 1
    }

    /// Nil when the topic has something left.
    private func forget(_ topic: Int) -> ForgottenTopic? {
        guard let newest = durable.topics[topic].last,
            durable.removedThrough[topic] == newest.offset
        else { return nil }
        durable.topics[topic] = []
        durable.removedThrough[topic] = 0
        durable.erased[topic] = []
        let namespace = String(newest.topic.namespace)
        durable.forgotten[namespace] = max(durable.forgotten[namespace] ?? 0, newest.cursor)
        acknowledged.removeAll { $0.topic == topic }
        trace.note("store forgets \(newest.topic) through \(newest.cursor)")
        trace.count(.topicsForgotten)
        return ForgottenTopic(newest.topic, throughCursor: newest.cursor)
    }

    /// The history that a topic has now, or the last one that it had.
    func presentHistory(_ topic: Int) -> HistoryName {
        HistoryName(
            storeEpoch: durable.epoch,
            topic: topic,
            beginning: durable.beginnings[topic]
        )
    }

    private func removeHistory(of topic: Topic) -> HistoryRemoval? {
        let index = Topics.index(topic.name)!
        guard let newest = durable.topics[index].last,
            newest.offset > durable.removedThrough[index]
        else { return nil }
        durable.removedThrough[index] = newest.offset
        return HistoryRemoval(
            topic: topic,
            throughOffset: newest.offset,
            throughCursor: newest.cursor
        )
    }

    /// What is in the log from a place on.
    func remember(from first: Int) {
        for index in durable.log.indices[first...] {
            let publication = durable.log[index]
            let history = HistoryName(
                storeEpoch: durable.epoch,
                topic: Topics.index(publication.topic.name)!,
                beginning: durable.logBeginnings[index]
            )
            histories.add(history)
            let key = PublicationKey(history: history, offset: publication.offset)
            committed[key] = publication
            byCursor[publication.cursor] = publication
            historiesByCursor[publication.cursor] = history
        }
    }
}
