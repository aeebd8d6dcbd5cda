import Timekeeping

/// The topics of one event loop: their histories and their subscribers.
///
/// **Function.** Every loop has its own hub, and every hub receives every publication, in commit
/// order. A subscriber is a number, the slot of its connection on the loop; the hub never writes to
/// it. It returns the subscribers of a publication, and the publications that a returning
/// subscriber has missed.
///
/// **Duties of the caller.**
/// - Restore all durable topics of the store before the first subscriber.
/// - Publish the store's commits from then on, each publication once, in the order of the cursors,
///   and then send it to `subscribers(of:form:)` for each form in use, before the next input.
/// - Call `removeSubscriber` before a slot is used again.
/// - Hand publications to all loops before any loop sends them, and take them in before new input
///   of connections. Otherwise a client that changes loops could come back with a position that its
///   new loop has not reached; it would receive a gap although it missed nothing. With several
///   nodes, such positions cannot be prevented: ask `isAhead` first.
///
/// **Recovery.** The history is complete up to the moment of `subscribe`, and everything published
/// after that call goes to the list of subscribers. So the answer to `subscribe` and the
/// publications after it have neither a hole nor an overlap, as long as the caller sends them in
/// this order. Erased publications are missing, and are not reported as a loss.
///
/// **Topics** are created when they are restored, published or subscribed to, if their namespace is
/// configured. One that never had a publication is removed with its last subscriber; a publication
/// that is not part of a history does not create a topic. Others are removed (`forget`) when the
/// store has removed them, at the same place among its commits, and begin another epoch if they are
/// created again: see `TopicEpoch`.
///
/// **Cursors** of this store are greater than `cursorBase`. A new store uses a base above the
/// cursors of any former one, so a smaller cursor belongs to a history that no longer exists.
///
/// **Not done here:** rights, presence, encoding, queues.
///
/// A hub belongs to its loop; it can't be copied, and only the payloads' storage is shared.
package struct Hub: ~Copyable {
    package let epoch: String
    /// The epoch of topics that are kept only in memory: a different one in every process.
    package let memoryEpoch: String
    package let cursorBase: UInt64
    /// Cursors of topics that are kept only in memory are above it.
    private let memoryCursorBase: UInt64
    /// The cursor of the newest publication of all topics, including removed ones; `cursorBase`
    /// before the first.
    package private(set) var newestCursor: UInt64
    private(set) var namespaces: NamespaceTable
    package private(set) var limits: HubLimits
    private(set) var forgotten: ForgottenCursors

    struct Entry {
        let topic: Topic
        var history: TopicHistory
        /// See `NamespaceSettings`.
        var isClientPublished: Bool
    }

    var numbers: [Topic: Int32] = [:]
    /// By the topic's number; nil where the number is free.
    var entries: [Entry?] = []
    private var freeNumbers: [Int32] = []
    var subscriptions = SubscriptionTable()
    /// The number at which the next `trim` begins.
    private var nextTrimmed = 0
    /// Topics without publications.
    private var unpublished = UnpublishedTopics()
    /// Of topics that clients may publish to, and of all others.
    var clientHistories = HistorySizes()
    var otherHistories = HistorySizes()
    /// Publications that were evicted because all histories together were too large.
    package internal(set) var evictedForMemoryCount: UInt64 = 0
    /// Whether `takeEvictions` is called; one of several hubs with the same histories is enough.
    package var notesEvictions = false
    var evictions: [Topic: UInt64] = [:]

    /// - Parameter forgotten: the cursors of the topics that the store had removed when it was
    ///   opened.
    package init(
        epoch: String,
        memoryEpoch: String? = nil,
        cursorBase: UInt64,
        memoryCursorBase: UInt64 = 0,
        namespaces: NamespaceTable,
        forgotten: ForgottenCursors = ForgottenCursors(),
        limits: HubLimits = HubLimits()
    ) {
        self.epoch = epoch
        self.memoryEpoch = memoryEpoch ?? epoch
        self.cursorBase = cursorBase
        self.memoryCursorBase = memoryCursorBase
        self.newestCursor = max(cursorBase, memoryCursorBase, forgotten.newest)
        self.namespaces = namespaces
        self.forgotten = forgotten
        self.limits = limits
    }

    /// Takes other limits; topics that are there stay.
    package mutating func use(_ limits: HubLimits) {
        self.limits = limits
    }

    package var topicCount: Int { numbers.count }

    package var subscriptionCount: Int { subscriptions.count }

    // MARK: Namespaces

    /// Replaces the namespaces, and applies their history settings to existing topics.
    ///
    /// A namespace that was configured stays, and with the same durability: publications of its topics may
    /// be under way, and their offsets go on.
    ///
    /// - Parameter histories: all topics with a history in added namespaces.
    package mutating func use(
        _ namespaces: NamespaceTable,
        restoring histories: [Topic: TopicHistory] = [:]
    ) {
        for name in self.namespaces.names {
            precondition(
                namespaces.settings(of: name)?.isDurable
                    == self.namespaces.settings(of: name)?.isDurable,
                "namespace \(name) does not stay"
            )
        }
        self.namespaces = namespaces
        for index in entries.indices {
            guard let topic = entries[index]?.topic, let settings = namespaces[topic] else {
                continue
            }
            let number = Int32(index)
            if entries[index]!.history.use(settings) { noteEviction(number) }
            if entries[index]!.isClientPublished != settings.isClientPublished {
                setHistoryBytes(0, of: number)
                entries[index]!.isClientPublished = settings.isClientPublished
            }
            measureHistory(number)
        }
        for (topic, history) in histories {
            precondition(numbers[topic] == nil, "topic \(topic) restored twice")
            newestCursor = max(newestCursor, history.newestCursor)
            if history.topOffset > 0 { _ = add(topic, history) }
        }
        evictHistories()
    }

    // MARK: Publications

    /// Restores a topic's history from the store. Returns false, and keeps nothing, if the topic's
    /// namespace is not configured.
    ///
    /// - Parameters:
    ///   - beginning: that of the topic's epoch.
    ///   - publications: oldest first, without evicted and erased ones. May be empty.
    @discardableResult
    package mutating func restore(
        _ topic: Topic,
        beginning: UInt64 = 0,
        topOffset: UInt64,
        evictedOffset: UInt64,
        evictedCursor: UInt64,
        publications: [Publication]
    ) throws(RestoreError) -> Bool {
        guard numbers[topic] == nil else { throw .restoredTwice }
        newestCursor = max(newestCursor, publications.last?.cursor ?? evictedCursor)
        guard let settings = namespaces[topic] else { return false }
        let history = try TopicHistory(
            epoch: TopicEpoch(store: epoch, beginning: beginning).text,
            limit: settings.history,
            recovery: settings.recovery,
            topOffset: topOffset,
            evictedOffset: evictedOffset,
            evictedCursor: evictedCursor,
            publications: publications
        )
        // One that has no publications yet comes into being with the first, or with a subscriber.
        if history.topOffset > 0 { _ = add(topic, history) }
        evictHistories()
        return true
    }

    /// Adds the next publication. Returns false, and keeps nothing, if the topic's namespace is not
    /// configured, or if a publication that is not part of a history finds no such topic, which
    /// then has no subscribers either.
    @discardableResult
    package mutating func publish(_ publication: Publication) -> Bool {
        precondition(publication.cursor > newestCursor, "cursor \(publication.cursor) not greater")
        newestCursor = publication.cursor
        guard publication.offset > 0 else { return numbers[publication.topic] != nil }
        guard let number = number(of: publication.topic) else { return false }
        if publication.offset == 1 { begin(number, with: publication) }
        if entries[Int(number)]!.history.append(publication) { noteEviction(number) }
        measureHistory(number)
        evictHistories()
        return true
    }

    /// The epoch that a topic had without publications is another on every loop; from here on it is one.
    private mutating func begin(_ number: Int32, with first: Publication) {
        unpublished.remove(first.topic)
        let beginning = forgotten.beginning(of: first.topic, after: first.cursor - 1)
        guard beginning > 0, let settings = namespaces[first.topic] else { return }
        let epoch = TopicEpoch(store: storeEpoch(settings), beginning: beginning)
        entries[Int(number)]!.history.begin(epoch.text)
    }

    /// Evicts publications older than the limits allow, in the next `topicCountMax` topics in turn.
    package mutating func trim(now: Timestamp, topicCountMax: Int) {
        for _ in 0..<min(topicCountMax, entries.count) {
            if nextTrimmed >= entries.count { nextTrimmed = 0 }
            if entries[nextTrimmed] != nil {
                entries[nextTrimmed]!.history.trim(now: now)
                measureHistory(Int32(nextTrimmed))
            }
            nextTrimmed += 1
        }
    }

    /// The history of a topic; nil when the hub has no such topic.
    package func history(of topic: Topic) -> TopicHistory? {
        numbers[topic].flatMap { entries[Int($0)]?.history }
    }

    /// The position of a topic; the beginning if the hub has no such topic.
    package func position(of topic: Topic) -> Position {
        if let history = history(of: topic) { return history.position }
        return emptyHistory(of: topic, namespaces[topic] ?? .unknown).position
    }

    /// Removes a topic's history up to an offset; its offsets continue. Subscribers that resume
    /// from before it receive a gap.
    package mutating func removeHistory(of topic: Topic, through offset: UInt64) {
        guard let number = numbers[topic] else { return }
        entries[Int(number)]!.history.remove(through: offset)
        measureHistory(number)
    }

    /// Removes the publications of an erasure from a topic's history, at this place among the
    /// commits: see `Erasure`.
    ///
    /// - Complexity: O(publications kept of the topic).
    package mutating func erase(_ erasure: Erasure) {
        guard let number = numbers[erasure.topic] else { return }
        entries[Int(number)]!.history.erase(erasure)
        measureHistory(number)
    }

    /// Removes a topic that the store has removed, at this place among the commits. Its subscribers
    /// stay, and receive its publications if it is created again; notify those that count offsets,
    /// because the offsets begin again.
    package mutating func forget(_ forgottenTopic: ForgottenTopic) {
        forgotten.add(forgottenTopic)
        let topic = forgottenTopic.topic
        guard let number = numbers[topic], let settings = namespaces[topic] else { return }
        if entries[Int(number)]!.history.topOffset > 0 { unpublished.add(topic) }
        entries[Int(number)]!.history = emptyHistory(of: topic, settings)
        measureHistory(number)
        evictions[topic] = nil
        forgetIfUnused(number)
    }

    /// Whether a topic has no subscribers, so that it may be removed. False if the hub does not
    /// have its namespace: the topic's history may be about to be restored.
    package func isUnused(_ topic: Topic) -> Bool {
        namespaces[topic] != nil && subscriberCount(of: topic) == 0
    }

    /// The topics, in no order.
    package var topics: [Topic] { Array(numbers.keys) }

    // MARK: Topic numbers

    /// The topic's number, a fresh one if need be; nil when its namespace is not configured.
    mutating func number(of topic: Topic) -> Int32? {
        if let number = numbers[topic] { return number }
        guard let settings = namespaces[topic] else { return nil }
        return add(topic, emptyHistory(of: topic, settings))
    }

    /// Of a topic that has no publications at this moment.
    func emptyHistory(of topic: Topic, _ settings: NamespaceSettings) -> TopicHistory {
        TopicHistory(
            epoch: TopicEpoch(
                store: storeEpoch(settings),
                beginning: forgotten.beginning(of: topic, after: newestCursor)
            ).text,
            limit: settings.history,
            recovery: settings.recovery,
            evictedCursor: max(forgotten[topic], settings.isDurable ? 0 : memoryCursorBase)
        )
    }

    func storeEpoch(_ settings: NamespaceSettings) -> String {
        settings.isDurable ? epoch : memoryEpoch
    }

    /// Returns the publications after a cursor in a topic, whether or not the hub has it.
    func recover(_ topic: Topic, afterCursor cursor: UInt64) -> CursorRecovery {
        if let history = history(of: topic) { return history.publications(afterCursor: cursor) }
        return emptyHistory(of: topic, namespaces[topic] ?? .unknown)
            .publications(afterCursor: cursor)
    }

    /// Whether a subscriber may bring the topic into being.
    func hasRoom(for topic: Topic) -> Bool {
        unpublished.hasRoom(
            for: topic,
            countMax: limits.unpublishedTopicsMax,
            namespaceCount: namespaces.names.count
        )
    }

    private mutating func add(_ topic: Topic, _ history: TopicHistory) -> Int32 {
        let number: Int32
        let entry = Entry(
            topic: topic,
            history: history,
            isClientPublished: namespaces[topic]?.isClientPublished ?? false
        )
        if let free = freeNumbers.popLast() {
            number = free
            entries[Int(free)] = entry
        } else {
            number = Int32(entries.count)
            entries.append(entry)
        }
        numbers[topic] = number
        measureHistory(number)
        if history.topOffset == 0 { unpublished.add(topic) }
        return number
    }

    mutating func forgetIfUnused(_ number: Int32) {
        let entry = entries[Int(number)]!
        guard entry.history.topOffset == 0 else { return }
        guard subscriptions.subscriberCount(of: number) == 0 else { return }
        numbers[entry.topic] = nil
        entries[Int(number)] = nil
        freeNumbers.append(number)
        unpublished.remove(entry.topic)
    }
}
