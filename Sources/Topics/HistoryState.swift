import DequeModule

/// The content of a `HistoryTable`: topics with publications, and their histories.
struct HistoryState {
    struct Entry {
        let topic: Topic
        var history: TopicHistory
        /// See `NamespaceSettings`.
        var isClientPublished: Bool
        /// Whether the topic is in `overfull`.
        var isOverfull = false
        /// Whether the store also has the history.
        let isStored: Bool
        /// The cursor up to which it came from the store; 0 if it has grown here.
        var readThrough: UInt64 = 0
        /// Whether it was read or published to since it was last considered for dropping.
        var wasUsed = true
        /// The loops that have waited for it, and have not used it yet.
        var holders: Set<Int> = []
    }

    /// The history of a removed topic.
    struct Former {
        var history: TopicHistory
        /// The newest cursor of all topics when it was removed.
        var through: UInt64
    }

    let origin: HistoryOrigin
    /// Whether durable topics that are not here are in the store.
    let isBacked: Bool
    /// The cursor of the newest publication of all topics, including removed ones.
    private(set) var newestCursor: UInt64
    private(set) var namespaces: NamespaceTable
    private(set) var forgotten: ForgottenCursors
    var limits: HubLimits

    private(set) var numbers: [Topic: Int32] = [:]
    /// By the topic's number; nil where the number is free.
    var entries: [Entry?] = []
    private var freeNumbers: [Int32] = []
    /// The number at which the next `trim` begins.
    private var nextTrimmed = 0
    /// Of topics that clients may publish to, and of all others.
    private var clientHistories = HistorySizes()
    private var otherHistories = HistorySizes()
    /// Of topics that the store also has.
    var storedHistories = HistorySizes()
    var storedCount = 0
    /// Of these, the numbers in the order in which they are considered for dropping. May contain a
    /// number that is free by now.
    var storedOrder: Deque<Int32> = []
    /// By number: whether it is in `storedOrder`.
    var isOrdered: [Bool] = []
    private(set) var evictedForMemoryCount: UInt64 = 0
    /// By topic: the offset up to which the limit of bytes has evicted it.
    var evictions: [Topic: UInt64] = [:]

    /// Topics that are being read from the store, or will be.
    var reads: [Topic: PendingRead] = [:]
    /// Those of them whose reading has not begun, the longest waiting first.
    var nextReads: Deque<Topic> = []
    /// The number of topics whose reading has begun.
    var underwayCount = 0
    /// By topic that is not here: the bytes of long publications since it was read.
    var unread: [Topic: Int] = [:]
    /// Topics with holders.
    var held: Set<Topic> = []
    /// Topics that the store does not have, and the greatest cursor of those that it had removed from their
    /// namespaces by then.
    var absent: [Topic: UInt64] = [:]

    /// By loop: the cursor that it has reached.
    private var reached: [UInt64] = []
    /// The cursor that all loops have reached; `.max` without loops.
    private(set) var reachedByAll: UInt64 = .max
    /// Removed topics that a loop may still have to read.
    private(set) var former: [Topic: [Former]] = [:]
    /// Topics with publications over their limits that a loop has not reached. May contain a number
    /// that is free by now, or that another topic has.
    private var overfull: [Int32] = []

    init(
        origin: HistoryOrigin,
        isBacked: Bool,
        newestCursor: UInt64,
        namespaces: NamespaceTable,
        forgotten: ForgottenCursors,
        limits: HubLimits
    ) {
        self.origin = origin
        self.isBacked = isBacked
        self.newestCursor = newestCursor
        self.namespaces = namespaces
        self.forgotten = forgotten
        self.limits = limits
    }

    /// Of all histories, with the overhead of each publication.
    var bytes: Int { clientHistories.bytes + otherHistories.bytes + storedHistories.bytes }

    // MARK: Commits

    mutating func restore(
        _ topic: Topic,
        beginning: UInt64,
        topOffset: UInt64,
        evictedOffset: UInt64,
        evictedCursor: UInt64,
        publications: [Publication]
    ) throws(RestoreError) -> Bool {
        guard numbers[topic] == nil else { throw .restoredTwice }
        newestCursor = max(newestCursor, publications.last?.cursor ?? evictedCursor)
        guard let settings = namespaces[topic] else { return false }
        let history = try TopicHistory(
            epoch: TopicEpoch(store: origin.epoch, beginning: beginning).text,
            limit: settings.history,
            recovery: settings.recovery,
            topOffset: topOffset,
            evictedOffset: evictedOffset,
            evictedCursor: evictedCursor,
            publications: publications
        )
        // One that has no publications yet comes into being with the first.
        if history.topOffset > 0 { _ = add(topic, history, settings) }
        evictOverBytes()
        return true
    }

    /// Adds the next publication; keeps nothing of one outside of histories, or whose namespace is
    /// not configured.
    mutating func publish(_ publication: Publication) {
        precondition(publication.cursor > newestCursor, "cursor \(publication.cursor) not greater")
        newestCursor = publication.cursor
        guard publication.offset > 0, !noteForRead(.publication(publication), of: publication.topic)
        else { return }
        append(publication)
    }

    mutating func append(_ publication: Publication) {
        guard let number = number(of: publication) else { return }
        if isBacked, entries[Int(number)]!.isStored {
            guard publication.cursor > entries[Int(number)]!.readThrough else { return }
            guard publication.offset == entries[Int(number)]!.history.topOffset + 1 else {
                return drop(number)
            }
            entries[Int(number)]!.wasUsed = true
        }
        note(
            entries[Int(number)]!.history.append(publication, evictingThrough: reachedByAll),
            of: number
        )
        evictOverBytes()
    }

    /// The number of a publication's topic, which begins with it if need be; nil if its namespace is
    /// not configured, or if its history is only in the store.
    private mutating func number(of publication: Publication) -> Int32? {
        let topic = publication.topic
        if let number = numbers[topic] { return number }
        guard let settings = namespaces[topic] else { return nil }
        if isBacked, settings.isDurable {
            guard publication.offset == 1 else {
                readIfLong(publication, settings.history)
                return nil
            }
            absent[topic] = nil
        }
        let history = origin.emptyHistory(
            of: topic,
            settings,
            forgotten,
            after: publication.cursor - 1
        )
        return add(topic, history, settings)
    }

    mutating func add(
        _ topic: Topic,
        _ history: TopicHistory,
        _ settings: NamespaceSettings
    ) -> Int32 {
        let number: Int32
        let entry = Entry(
            topic: topic,
            history: history,
            isClientPublished: settings.isClientPublished,
            isStored: isBacked && settings.isDurable
        )
        if let free = freeNumbers.popLast() {
            number = free
            entries[Int(free)] = entry
        } else {
            number = Int32(entries.count)
            entries.append(entry)
        }
        numbers[topic] = number
        if entry.isStored { order(number) }
        measure(number)
        return number
    }

    /// Takes a topic out of memory.
    mutating func drop(_ number: Int32) {
        let entry = entries[Int(number)]!
        numbers[entry.topic] = nil
        if entry.isStored { storedCount -= 1 }
        if !entry.holders.isEmpty { held.remove(entry.topic) }
        setBytes(0, of: number)
        entries[Int(number)] = nil
        freeNumbers.append(number)
    }

    mutating func removeHistory(of topic: Topic, through offset: UInt64) {
        guard !noteForRead(.removal(through: offset), of: topic) else { return }
        guard let number = numbers[topic] else { return }
        // The snapshot may have another topic of this name, which began after the removal.
        guard entries[Int(number)]!.readThrough <= newestCursor else { return drop(number) }
        entries[Int(number)]!.history.remove(through: offset, rewindableTo: reachedByAll)
        note(entries[Int(number)]!.history.evictExcess(through: reachedByAll), of: number)
    }

    mutating func erase(_ erasure: Erasure) {
        let change = PendingRead.Change.erasure(erasure, at: newestCursor)
        guard !noteForRead(change, of: erasure.topic) else { return }
        erase(erasure, at: newestCursor)
    }

    /// - Parameter cursor: the newest when the erasure was committed, or a later one.
    mutating func erase(_ erasure: Erasure, at cursor: UInt64) {
        guard let number = numbers[erasure.topic] else { return }
        // The snapshot may have publications that were committed after the erasure.
        guard entries[Int(number)]!.readThrough <= cursor else { return drop(number) }
        entries[Int(number)]!.history.erase(erasure, rewindableTo: reachedByAll)
        note(entries[Int(number)]!.history.evictExcess(through: reachedByAll), of: number)
    }

    mutating func forget(_ forgottenTopic: ForgottenTopic) {
        forgotten.add(forgottenTopic)
        evictions[forgottenTopic.topic] = nil
        reads[forgottenTopic.topic]?.outdate()
        guard let number = numbers[forgottenTopic.topic] else { return }
        // A later snapshot had another topic of this name, which no loop has reached.
        let isLater = entries[Int(number)]!.readThrough > newestCursor
        if reachedByAll < newestCursor, !isLater {
            let history = entries[Int(number)]!.history
            former[forgottenTopic.topic, default: []].append(
                Former(history: history, through: newestCursor)
            )
        }
        drop(number)
    }

    // MARK: Settings

    mutating func use(_ namespaces: NamespaceTable) {
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
            let evicted = entries[index]!.history.use(settings, evictingThrough: reachedByAll)
            if entries[index]!.isClientPublished != settings.isClientPublished {
                setBytes(0, of: number)
                entries[index]!.isClientPublished = settings.isClientPublished
            }
            note(evicted, of: number)
        }
        evictOverBytes()
    }

    // MARK: Readers

    mutating func addReader() -> Int {
        reached.append(newestCursor)
        reachedByAll = reached.min()!
        return reached.count - 1
    }

    /// Evicts what was kept for the loops. Returns false if the slowest loop is where it
    /// was.
    mutating func reached(_ cursor: UInt64, by reader: Int) -> Bool {
        reached[reader] = cursor
        let slowest = reached.min()!
        guard slowest > reachedByAll else { return false }
        reachedByAll = slowest
        if !former.isEmpty {
            former = former.compactMapValues { each in
                let left = each.filter { slowest < $0.through }
                return left.isEmpty ? nil : left
            }
        }
        let numbers = overfull
        overfull.removeAll(keepingCapacity: numbers.count <= HistoryState.overfullKept)
        for number in numbers where entries[Int(number)] != nil {
            entries[Int(number)]!.isOverfull = false
            note(entries[Int(number)]!.history.evictExcess(through: slowest), of: number)
        }
        evictOverBytes()
        return true
    }

    /// The number of places in `overfull` whose storage is kept.
    private static let overfullKept = 4096

    // MARK: Limits

    /// Evicts publications older than the limits allow, in the next topics in turn.
    mutating func trim(now: Timestamp, topicCountMax: Int) {
        for _ in 0..<min(topicCountMax, entries.count) {
            if nextTrimmed >= entries.count { nextTrimmed = 0 }
            if entries[nextTrimmed] != nil {
                entries[nextTrimmed]!.history.trim(now: now, through: reachedByAll)
                measure(Int32(nextTrimmed))
            }
            nextTrimmed += 1
        }
    }

    /// Notes what the topic's own limits of count and bytes have evicted, as far as the loops allow.
    mutating func note(_ evicted: TopicHistory.Eviction, of number: Int32) {
        if evicted.overBytes {
            let entry = entries[Int(number)]!
            evictions[entry.topic] = entry.history.evictedOffset
        }
        if evicted.isOverfull, !entries[Int(number)]!.isOverfull {
            entries[Int(number)]!.isOverfull = true
            overfull.append(number)
        }
        measure(number)
    }

    private mutating func measure(_ number: Int32) {
        setBytes(bytes(of: number), of: number)
    }

    /// Of one topic's history, with the overhead of each publication.
    func bytes(of number: Int32) -> Int {
        let history = entries[Int(number)]!.history
        return history.bytes + history.count * limits.publicationOverhead
    }

    private mutating func setBytes(_ bytes: Int, of number: Int32) {
        if entries[Int(number)]!.isStored {
            storedHistories.set(bytes, of: number)
        } else if entries[Int(number)]!.isClientPublished {
            clientHistories.set(bytes, of: number)
        } else {
            otherHistories.set(bytes, of: number)
        }
    }

    /// Evicts the oldest publications of the largest topics while all histories together are too
    /// large, and those of clients before they take the room of others.
    mutating func evictOverBytes() {
        if isBacked { dropUnused() }
        while clientHistories.bytes > limits.clientHistoryBytesMax,
            let number = clientHistories.largest
        {
            guard evictOne(number) else { break }
        }
        while bytes > limits.historyBytesMax,
            let number = otherHistories.largest ?? clientHistories.largest
        {
            guard evictOne(number) else { break }
        }
    }

    /// Returns false if a loop has not reached the oldest publication yet.
    private mutating func evictOne(_ number: Int32) -> Bool {
        guard entries[Int(number)]!.history.evictOne(through: reachedByAll) else { return false }
        evictedForMemoryCount += 1
        measure(number)
        return true
    }
}
