/// The topics of one event loop, and their subscribers.
///
/// **Function.** Every loop has its own hub, and every hub receives every publication, in commit
/// order. A subscriber is a number, the slot of its connection on the loop; the hub never writes to
/// it. It returns the subscribers of a publication, and the publications that a returning
/// subscriber has missed. These come from the histories that all loops share, as they were at the
/// newest cursor that this hub has received.
///
/// **Duties of the caller.**
/// - Begin with the store's newest cursor (`HistoryTable`).
/// - Add the store's commits to the shared histories from then on, and then give them to every hub:
///   each publication once, in the order of the cursors. Send it to `subscribers(of:form:)` for each
///   form in use, before the next input, and call `trim` after each batch. A hub that is the only
///   user of its histories adds the commits itself.
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
/// **Topics** exist when they have a publication or a subscriber, if their namespace is configured.
/// A publication that is not part of a history does not create a topic. Others are removed
/// (`forget`) when the store has removed them, at the same place among its commits, and begin
/// another epoch if they are created again: see `TopicEpoch`.
///
/// **Cursors** of this store are greater than `cursorBase`. A new store uses a base above the
/// cursors of any former one, so a smaller cursor belongs to a history that no longer exists.
///
/// **Not done here:** rights, presence, encoding, queues.
///
/// A hub belongs to its loop; it can't be copied, and only the histories are shared.
package struct LoopTopics: ~Copyable {
    package let histories: HistoryTable
    /// This loop among the readers of the histories; nil if the hub is their only user, and adds the
    /// commits itself.
    let reader: Int?
    /// Topics that stay in the histories until they are released, in the order of their use.
    var kept: [Topic] = []
    private let origin: HistoryOrigin
    /// The cursor of the newest publication of all topics, including removed ones; `cursorBase`
    /// before the first.
    package private(set) var newestCursor: UInt64
    private(set) var namespaces: NamespaceTable
    package private(set) var limits: HubLimits
    private(set) var forgotten: ForgottenCursors

    /// A topic with subscribers.
    struct Entry {
        let topic: Topic
        /// The place of its newest publication. Before the first, the epoch is one of this loop. Nil if
        /// it is not known, because the history is only in the store.
        var position: Position?
        /// Whether it has had no publications.
        var isUnpublished: Bool
        /// The reports about its subscribers.
        let attendance: TopicAttendance
    }

    var numbers: [Topic: Int32] = [:]
    /// By the topic's number; nil where the number is free.
    var entries: [Entry?] = []
    private var freeNumbers: [Int32] = []
    var subscriptions = SubscriptionTable()
    /// Subscriptions that began or ended since they were taken.
    private var subscriberChanges: [SubscriberChange] = []
    /// Topics without publications.
    private var unpublished = UnpublishedTopics()

    /// A hub that is the only user of its histories: see `HistoryTable`.
    package init(
        epoch: String,
        memoryEpoch: String? = nil,
        cursorBase: UInt64,
        memoryCursorBase: UInt64 = 0,
        namespaces: NamespaceTable,
        forgotten: ForgottenCursors = ForgottenCursors(),
        limits: HubLimits = HubLimits()
    ) {
        self.init(
            HistoryTable(
                epoch: epoch,
                memoryEpoch: memoryEpoch,
                cursorBase: cursorBase,
                memoryCursorBase: memoryCursorBase,
                namespaces: namespaces,
                forgotten: forgotten,
                limits: limits
            ),
            isShared: false
        )
    }

    /// A hub of one of several loops.
    package init(sharing histories: HistoryTable) {
        self.init(histories, isShared: true)
    }

    private init(_ histories: HistoryTable, isShared: Bool) {
        self.histories = histories
        let beginning = histories.beginning
        reader = isShared ? histories.addReader() : nil
        origin = beginning.origin
        newestCursor = beginning.newestCursor
        namespaces = beginning.namespaces
        limits = beginning.limits
        forgotten = beginning.forgotten
    }

    package var epoch: String { histories.epoch }
    package var memoryEpoch: String { histories.memoryEpoch }
    package var cursorBase: UInt64 { histories.cursorBase }

    /// Takes other limits; topics that are there stay.
    package mutating func use(_ limits: HubLimits) {
        self.limits = limits
        histories.use(limits)
    }

    package var topicCount: Int { histories.sizes.topicCount + unpublished.count }

    /// Those with subscribers on this loop.
    package var subscribedTopicCount: Int { numbers.count }

    package var subscriptionCount: Int { subscriptions.count }

    // MARK: Namespaces

    /// Takes the namespaces that the histories have.
    package mutating func use(_ namespaces: NamespaceTable) { self.namespaces = namespaces }

    // MARK: Publications

    /// Restores a topic's history from the store: see `HistoryTable.restore`.
    @discardableResult
    package mutating func restore(
        _ topic: Topic,
        beginning: UInt64 = 0,
        topOffset: UInt64,
        evictedOffset: UInt64,
        evictedCursor: UInt64,
        publications: [Publication]
    ) throws(RestoreError) -> Bool {
        let isRestored = try histories.restore(
            topic,
            beginning: beginning,
            topOffset: topOffset,
            evictedOffset: evictedOffset,
            evictedCursor: evictedCursor,
            publications: publications
        )
        newestCursor = max(newestCursor, publications.last?.cursor ?? evictedCursor)
        return isRestored
    }

    /// Takes the next publication. Returns false if the topic has no subscribers.
    @discardableResult
    package mutating func publish(_ publication: Publication) -> Bool {
        precondition(publication.cursor > newestCursor, "cursor \(publication.cursor) not greater")
        newestCursor = publication.cursor
        if reader == nil { histories.publish(publication) }
        guard let number = numbers[publication.topic] else { return false }
        guard publication.offset > 0 else { return true }
        if publication.offset == 1 || entries[Int(number)]!.isUnpublished {
            begin(Int(number), with: publication)
        }
        entries[Int(number)]!.position?.offset = publication.offset
        return true
    }

    /// Gives a topic the epoch of its first publication: the one that it had was another on every loop.
    private mutating func begin(_ number: Int, with publication: Publication) {
        let topic = publication.topic
        guard let settings = namespaces[topic] else { return }
        let epoch = TopicEpoch(
            store: storeEpoch(settings),
            beginning: forgotten.beginning(of: topic, after: publication.cursor - 1)
        )
        // With a later offset, the namespace kept no history when the subscriber came.
        entries[number]!.position =
            publication.offset == 1 ? Position(offset: 1, epoch: epoch.text) : nil
        guard entries[number]!.isUnpublished else { return }
        entries[number]!.isUnpublished = false
        unpublished.remove(topic)
    }

    /// Evicts publications beyond the limits of count and bytes that were kept for this loop, and
    /// those older than the limits allow, in the next `topicCountMax` topics in turn.
    package mutating func trim(now: Timestamp, topicCountMax: Int) {
        if let reader {
            histories.reached(newestCursor, by: reader, now: now, topicCountMax: topicCountMax)
        } else {
            histories.trim(now: now, topicCountMax: topicCountMax)
        }
    }

    // MARK: Histories

    /// The history of a topic; nil when the hub has no such topic.
    package func history(of topic: Topic) -> TopicHistory? {
        if let history = published(topic) { return history }
        return numbers[topic].map { unpublishedHistory(of: topic, $0) }
    }

    /// Nil if the topic has had no publications.
    private func published(_ topic: Topic) -> TopicHistory? {
        histories.history(of: topic, at: newestCursor)
    }

    private func unpublishedHistory(of topic: Topic, _ number: Int32) -> TopicHistory {
        var history = emptyHistory(of: topic, namespaces[topic] ?? .unknown)
        let entry = entries[Int(number)]!
        if entry.isUnpublished, let position = entry.position { history.begin(position.epoch) }
        return history
    }

    /// The position of a topic; the beginning if the hub has no such topic, or if its history is only in
    /// the store and it has no subscribers.
    package func position(of topic: Topic) -> Position {
        if let number = numbers[topic], let position = entries[Int(number)]!.position {
            return position
        }
        if let history = history(of: topic) { return history.position }
        return emptyHistory(of: topic, namespaces[topic] ?? .unknown).position
    }

    /// Removes a topic's history up to an offset; its offsets continue. Subscribers that resume
    /// from before it receive a gap. Does nothing if the histories are shared, which have removed it.
    package mutating func removeHistory(of topic: Topic, through offset: UInt64) {
        if reader == nil { histories.removeHistory(of: topic, through: offset) }
    }

    /// Removes the publications of an erasure from a topic's history, at this place among the
    /// commits: see `Erasure`. Does nothing if the histories are shared, which have erased them.
    ///
    /// - Complexity: O(publications kept of the topic).
    package mutating func erase(_ erasure: Erasure) {
        if reader == nil { histories.erase(erasure) }
    }

    /// Removes a topic that the store has removed, at this place among the commits. Its subscribers
    /// stay, and receive its publications if it is created again; notify those that count offsets,
    /// because the offsets begin again.
    package mutating func forget(_ forgottenTopic: ForgottenTopic) {
        forgotten.add(forgottenTopic)
        if reader == nil { histories.forget(forgottenTopic) }
        let topic = forgottenTopic.topic
        guard let number = numbers[topic], let settings = namespaces[topic] else { return }
        if !entries[Int(number)]!.isUnpublished { unpublished.add(topic) }
        entries[Int(number)]!.isUnpublished = true
        entries[Int(number)]!.position = emptyHistory(of: topic, settings).position
    }

    /// Whether a topic has no subscribers, so that it may be removed. False if the hub does not
    /// have its namespace: a reload may be about to add it.
    package func isUnused(_ topic: Topic) -> Bool {
        namespaces[topic] != nil && subscriberCount(of: topic) == 0
    }

    /// The topics, in no order.
    package var topics: [Topic] {
        histories.topics
            + entries.compactMap { entry in
                entry.flatMap { histories.contains($0.topic) ? nil : $0.topic }
            }
    }

    // MARK: Topic numbers

    /// The number of a topic that gets a subscriber, a fresh one if need be.
    ///
    /// - Parameter history: nil if it is only in the store.
    mutating func number(of topic: Topic, _ history: TopicHistory?) -> Int32 {
        if let number = numbers[topic] {
            if entries[Int(number)]!.position == nil {
                entries[Int(number)]!.position = history?.position
            }
            return number
        }
        let entry = Entry(
            topic: topic,
            position: history?.position,
            isUnpublished: history.map { $0.topOffset == 0 } ?? false,
            attendance: namespaces[topic]?.attendance ?? []
        )
        let number: Int32
        if let free = freeNumbers.popLast() {
            number = free
            entries[Int(free)] = entry
        } else {
            number = Int32(entries.count)
            entries.append(entry)
        }
        numbers[topic] = number
        if entry.isUnpublished { unpublished.add(topic) }
        return number
    }

    /// Of a topic that has no publications at this moment.
    func emptyHistory(of topic: Topic, _ settings: NamespaceSettings) -> TopicHistory {
        origin.emptyHistory(
            of: topic,
            settings,
            forgotten,
            after: newestCursor,
            // The histories may have removed the topic already.
            evictedThrough: min(newestCursor, histories.forgottenCursor(of: topic))
        )
    }

    func storeEpoch(_ settings: NamespaceSettings) -> String { origin.storeEpoch(settings) }

    /// Returns the publications after a cursor in a topic, whether or not the hub has it.
    func recover(_ topic: Topic, afterCursor cursor: UInt64) -> CursorRecovery {
        // Not read in time, or dropped by an erasure that the store had carried out before the read.
        if isElsewhere(topic) { return .gap(available: [], through: newestCursor) }
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

    /// Notes a subscription that begins or ends, if it is reported.
    mutating func note(_ subscriber: Int32, topicNumbered number: Int32, isSubscribed: Bool) {
        let entry = entries[Int(number)]!
        guard !entry.attendance.isEmpty else { return }
        subscriberChanges.append(
            SubscriberChange(
                subscriber: subscriber,
                topic: entry.topic,
                isSubscribed: isSubscribed,
                attendance: entry.attendance
            )
        )
    }

    /// Returns the subscriptions that began or ended, in order, in namespaces whose subscribers are
    /// reported. Each is returned once.
    package mutating func takeSubscriberChanges() -> [SubscriberChange] {
        guard !subscriberChanges.isEmpty else { return [] }
        defer { subscriberChanges = [] }
        return subscriberChanges
    }

    /// Gives up the number of a topic without subscribers.
    mutating func forgetIfUnused(_ number: Int32) {
        guard subscriptions.subscriberCount(of: number) == 0 else { return }
        let entry = entries[Int(number)]!
        if entry.isUnpublished { unpublished.remove(entry.topic) }
        numbers[entry.topic] = nil
        entries[Int(number)] = nil
        freeNumbers.append(number)
    }
}

/// The topics of all loops, for those who list them.
extension LoopTopics {
    /// The number of topic numbers, some of which may be free: see `topic(numbered:)`. First come
    /// those of topics with publications, and then those of topics with subscribers on this loop.
    package var topicNumberCount: Int { histories.numberCount + entries.count }

    /// The topic with a number below `topicNumberCount`; nil if the number is free, or if the topic
    /// has another one.
    package func topic(numbered number: Int) -> Topic? {
        let published = histories.numberCount
        guard number >= published else { return histories.topic(numbered: number) }
        guard number - published < entries.count, let entry = entries[number - published] else {
            return nil
        }
        return !entry.isUnpublished || histories.contains(entry.topic) ? nil : entry.topic
    }
}
