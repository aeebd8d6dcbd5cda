/// The state of topics that are kept only in memory: offsets, versions, idempotency keys.
///
/// Offsets begin at 1 in every process, and again when a topic was deleted; its epoch is another
/// one then. A topic that is not quiet cannot be deleted, so their number is limited.
struct MemoryTopics {
    struct Row {
        fileprivate(set) var topOffset: UInt64 = 0
        /// The cursor of the publication with `topOffset`.
        fileprivate(set) var topCursor: UInt64 = 0
        /// `TopicEpoch.beginning` of the topic's epoch.
        fileprivate(set) var beginning: UInt64 = 0
        /// The time of the newest event.
        fileprivate(set) var time = Timestamp(milliseconds: .min)
        fileprivate(set) var version: EventVersion?
        /// The client that created the topic; nil for the hub and the server API.
        fileprivate(set) var publisher: EventPublisher?
    }

    /// A state to which `rollBack` can return.
    struct Mark {
        fileprivate let changeCount: Int
    }

    private struct Key: Hashable {
        let topic: Topic
        let text: ExactText
    }

    private struct Remembered {
        let offset: UInt64
        let time: Timestamp
    }

    private enum Replaced {
        case row(Topic, Row?)
        case key(Key, Remembered?)
    }

    private var rows: [Topic: Row] = [:]
    /// The numbers of `rows`.
    private var counts = MemoryTopicCounts()
    private var remembered: [Key: Remembered] = [:]
    /// The keys in the order in which they were added. One that was added again is in this list
    /// twice; its first place no longer counts.
    private var keys: [(key: Key, time: Timestamp)] = []
    private var firstKey = 0
    private var replaced: [Replaced] = []
    private let limits: StoreLimits

    init(limits: StoreLimits) {
        self.limits = limits
    }

    var keyCount: Int { remembered.count }

    /// Returns the topics without an event since their time of `before`, in no order.
    ///
    /// - Parameters:
    ///   - latest: an upper bound of the results of `before`.
    ///   - before: returns nil for a topic that must not be deleted.
    /// - Complexity: O(topics); `before` is called only for those without an event since `latest`.
    func quietTopics(
        latest: Timestamp,
        before: (Topic) -> Timestamp?
    ) -> [QuietTopic] {
        var quiet: [QuietTopic] = []
        for (topic, row) in rows where row.time < latest {
            guard let limit = before(topic), row.time < limit else { continue }
            quiet.append(QuietTopic(topic: topic, before: limit))
        }
        return quiet
    }

    var mark: Mark { Mark(changeCount: replaced.count) }

    /// Drops the data for a rollback, and the keys beyond the limits; only between transactions.
    mutating func beginTransaction() {
        replaced.removeAll(keepingCapacity: true)
        guard let newest = keys.last?.time else { return }
        while firstKey < keys.count,
            keys.count - firstKey > limits.idempotencyKeysMax
                || newest - keys[firstKey].time > limits.idempotencyWindow
        {
            let (key, time) = keys[firstKey]
            if remembered[key]?.time == time { remembered[key] = nil }
            firstKey += 1
        }
        guard firstKey > keys.count / 2 else { return }
        keys.removeFirst(firstKey)
        firstKey = 0
    }

    /// Topics changed since `beginTransaction`.
    var changedTopics: Set<Topic> {
        Set(
            replaced.map { change in
                switch change {
                case .row(let topic, _): topic
                case .key(let key, _): key.topic
                }
            }
        )
    }

    /// Keeps the changes since `mark`, whatever the outcome of the transaction.
    mutating func keep(since mark: Mark) {
        replaced.removeLast(replaced.count - mark.changeCount)
    }

    mutating func rollBack(to mark: Mark) {
        while replaced.count > mark.changeCount {
            switch replaced.removeLast() {
            case .row(let topic, let row):
                if row == nil, let known = rows[topic] { count(-1, topic, known) }
                if let row, rows[topic] == nil { count(1, topic, row) }
                rows[topic] = row
            case .key(let key, let value):
                remembered[key] = value
                // Later keys may belong to events next to the transaction. A key that stays no
                // longer counts.
                if keys.last?.key == key { keys.removeLast() }
            }
        }
    }

    subscript(_ topic: Topic) -> Row { rows[topic] ?? Row() }

    /// Returns nil for an unknown topic.
    func row(of topic: Topic) -> Row? { rows[topic] }

    /// Returns the reason why the topic cannot get a row; nil if it can, or has one.
    ///
    /// - Parameter limitsOfNamespace: called only for a topic without a row.
    func refusal(
        of topic: Topic,
        from source: EventSource,
        _ limitsOfNamespace: @autoclosure () -> MemoryTopicLimits
    ) -> TopicRefusal? {
        guard rows[topic] == nil else { return nil }
        let namespace = limitsOfNamespace()
        let publisher = source.publisher
        func share(of max: Int) -> Int {
            publisher == nil ? max : MemoryTopicLimits.clientShare(of: max)
        }
        if let publisher {
            let own = counts.topics(in: topic.namespace, of: publisher)
            guard own < namespace.perPublisherMax else {
                return TopicRefusal(.publisher, limit: namespace.perPublisherMax)
            }
        }
        let namespaceMax = share(of: namespace.topicsMax)
        guard counts.topics(in: topic.namespace) < namespaceMax else {
            return TopicRefusal(.namespace, limit: namespaceMax)
        }
        let tableMax = share(of: limits.memoryTopicsMax)
        guard rows.count < tableMax else { return TopicRefusal(.table, limit: tableMax) }
        return nil
    }

    /// Assigns the topic's next offset.
    ///
    /// - Parameter beginning: that of the topic's epoch, if it is the first.
    mutating func next(
        of topic: Topic,
        at time: Timestamp,
        cursor: UInt64,
        beginning: UInt64,
        from source: EventSource = .hub
    ) -> Row {
        change(topic, from: source) { row in
            row.topOffset += 1
            row.topCursor = cursor
            row.time = max(row.time, time)
            if row.topOffset == 1 { row.beginning = beginning }
        }
    }

    mutating func set(
        _ version: EventVersion,
        of topic: Topic,
        at time: Timestamp,
        from source: EventSource = .hub
    ) {
        change(topic, from: source) { row in
            row.version = version
            row.time = max(row.time, time)
        }
    }

    mutating func forget(_ topic: Topic) {
        guard let known = rows.removeValue(forKey: topic) else { return }
        count(-1, topic, known)
        replaced.append(.row(topic, known))
    }

    private mutating func count(_ change: Int, _ topic: Topic, _ row: Row) {
        counts.add(change, in: topic.namespace, of: row.publisher)
    }

    /// The offset of the event with this key; nil when the key is not stored, or expired at `time`.
    func offset(of key: String, in topic: Topic, at time: Timestamp) -> UInt64? {
        guard let found = remembered[Key(topic: topic, text: ExactText(key))] else { return nil }
        return time - found.time > limits.idempotencyWindow ? nil : found.offset
    }

    mutating func remember(
        _ key: String,
        in topic: Topic,
        offset: UInt64,
        at time: Timestamp
    ) {
        let key = Key(topic: topic, text: ExactText(key))
        replaced.append(.key(key, remembered[key]))
        remembered[key] = Remembered(offset: offset, time: time)
        keys.append((key, time))
    }

    @discardableResult
    private mutating func change(
        _ topic: Topic,
        from source: EventSource,
        _ body: (inout Row) -> Void
    ) -> Row {
        let known = rows[topic]
        var row = known ?? Row(publisher: source.publisher)
        body(&row)
        rows[topic] = row
        if known == nil { count(1, topic, row) }
        replaced.append(.row(topic, known))
        return row
    }
}
