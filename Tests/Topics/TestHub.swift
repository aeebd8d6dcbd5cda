import Topics

/// A hub in a class: the macros of Swift Testing can't take a noncopyable value apart.
final class TestHub {
    private var hub: LoopTopics

    init(
        epoch: String = "e",
        cursorBase: UInt64 = 100,
        namespaces: [String: HistoryLimit],
        forgotten: ForgottenCursors = ForgottenCursors(),
        limits: HubLimits = HubLimits()
    ) {
        hub = LoopTopics(
            epoch: epoch,
            cursorBase: cursorBase,
            namespaces: NamespaceTable(histories: namespaces),
            forgotten: forgotten,
            limits: limits
        )
    }

    /// A hub of one of several loops.
    init(sharing histories: HistoryTable) {
        hub = LoopTopics(sharing: histories)
    }

    /// With settings of namespaces whole, and the two numbers that a process begins with.
    init(memoryEpoch: String, memoryCursorBase: UInt64, settings: [String: NamespaceSettings]) {
        hub = LoopTopics(
            epoch: "e",
            memoryEpoch: memoryEpoch,
            cursorBase: 100,
            memoryCursorBase: memoryCursorBase,
            namespaces: NamespaceTable(settings)
        )
    }

    /// With settings of namespaces whole, and limits.
    init(settings: [String: NamespaceSettings], limits: HubLimits) {
        hub = LoopTopics(
            epoch: "e",
            cursorBase: 0,
            namespaces: NamespaceTable(settings),
            limits: limits
        )
    }

    var historyBytes: Int { hub.historyBytes }
    var evictedForMemoryCount: UInt64 { hub.evictedForMemoryCount }
    func takeEvictions() -> [Topic: UInt64] { hub.histories.takeEvictions() }
    func putBack(_ evictions: [Topic: UInt64]) { hub.histories.putBack(evictions) }

    var newestCursor: UInt64 { hub.newestCursor }
    var topicCount: Int { hub.topicCount }
    var subscriptionCount: Int { hub.subscriptionCount }
    var topics: [Topic] { hub.topics }
    /// Those that a list by number finds.
    var numberedTopics: [Topic] {
        (0..<hub.topicNumberCount).compactMap { hub.topic(numbered: $0) }
    }

    @discardableResult
    func restore(
        _ topic: Topic,
        beginning: UInt64 = 0,
        topOffset: UInt64,
        evictedOffset: UInt64,
        evictedCursor: UInt64,
        publications: [Publication]
    ) throws(RestoreError) -> Bool {
        try hub.restore(
            topic,
            beginning: beginning,
            topOffset: topOffset,
            evictedOffset: evictedOffset,
            evictedCursor: evictedCursor,
            publications: publications
        )
    }

    func use(_ settings: [String: NamespaceSettings]) {
        let namespaces = NamespaceTable(settings)
        hub.histories.use(namespaces)
        hub.use(namespaces)
    }

    @discardableResult
    func publish(_ publication: Publication) -> Bool { hub.publish(publication) }

    func erase(_ erasure: Erasure) { hub.erase(erasure) }

    func removeHistory(of topic: Topic, through offset: UInt64) {
        hub.removeHistory(of: topic, through: offset)
    }

    func forget(_ topic: Topic, throughCursor cursor: UInt64) {
        hub.forget(ForgottenTopic(topic, throughCursor: cursor))
    }

    func isUnused(_ topic: Topic) -> Bool { hub.isUnused(topic) }

    func use(_ limits: HubLimits) { hub.use(limits) }

    func position(of topic: Topic) -> Position { hub.position(of: topic) }

    func renamed(_ position: Position, of topic: Topic) -> Position {
        hub.renamed(position, of: topic)
    }

    func isAhead(_ position: Position, of topic: Topic) -> Bool {
        hub.isAhead(position, of: topic)
    }

    func isAhead(cursor: UInt64) -> Bool { hub.isAhead(cursor: cursor) }

    func trim(now: Timestamp, topicCountMax: Int) {
        hub.trim(now: now, topicCountMax: topicCountMax)
    }

    func isElsewhere(_ topic: Topic) -> Bool { hub.isElsewhere(topic) }
    func mustRequest(_ topic: Topic) -> Bool { hub.mustRequest(topic) }

    func takeKept() -> [Topic] { hub.takeKept() }

    func request(_ topic: Topic) -> HistoryTable.Wait? { hub.request(topic) }

    func release(_ topic: Topic) { hub.release(topic) }

    func history(of topic: Topic) -> TopicHistory? { hub.history(of: topic) }

    func subscribers(of topic: Topic, form: WireForm) -> [Int32] {
        hub.subscribers(of: topic, form: form)
    }

    func subscribers(of topic: Topic) -> [Int32] { hub.subscribers(of: topic) }

    func subscribedTopics(inSlicesOf countMax: Int) -> [(topic: Topic, count: Int)] {
        var topics: [(topic: Topic, count: Int)] = []
        var next: Int? = 0
        while let first = next {
            let slice = hub.subscribedTopics(from: first, countMax: countMax)
            topics += slice.topics
            next = slice.next
        }
        return topics
    }

    var subscribedTopics: [Topic: Int] {
        let topics = subscribedTopics(inSlicesOf: .max)
        return Dictionary(uniqueKeysWithValues: topics.map { ($0.topic, $0.count) })
    }

    func subscriberCount(of topic: Topic) -> Int { hub.subscriberCount(of: topic) }

    func subscribe(
        _ subscriber: Int32,
        form: WireForm,
        to topic: Topic,
        since: Position?,
        mustRecover: Bool = false,
        recoveryBytesMax: Int = .max
    ) throws(SubscribeError) -> Subscribed {
        try hub.subscribe(
            subscriber,
            form: form,
            to: topic,
            since: since,
            mustRecover: mustRecover,
            recoveryBytesMax: recoveryBytesMax
        )
    }

    func unsubscribe(_ subscriber: Int32, from topic: Topic) -> Bool {
        hub.unsubscribe(subscriber, from: topic)
    }

    @discardableResult
    func removeSubscriber(_ subscriber: Int32) -> Int { hub.removeSubscriber(subscriber) }

    func publications(of topics: [Topic], afterCursor cursor: UInt64) -> StreamRecovery {
        hub.publications(of: topics, afterCursor: cursor)
    }
}
