/// The histories of all topics of a process, for all its loops. May be used from any thread.
///
/// One thread adds publications in commit order, and hands each to the loops afterwards. So a loop
/// is never ahead of the table, and often behind it: it reads histories as they were at the
/// newest cursor that it has reached, and receives what came after that through its mailbox.
/// Publications that a loop has not reached are not evicted, because its positions come from them.
package final class HistoryTable: Sendable {
    package let epoch: String
    /// The epoch of topics that are kept only in memory: a different one in every process.
    package let memoryEpoch: String
    package let cursorBase: UInt64
    /// Whether durable topics that are not here are in the store, so that they have to be requested.
    package let isBacked: Bool
    private let state: Locked<HistoryState>
    /// Called when there may be something to read: see `takeReads`.
    private let listener = Locked(Listener())

    private struct Listener {
        var note: @Sendable () -> Void = {}
    }

    /// - Parameters:
    ///   - memoryCursorBase: cursors of topics that are kept only in memory are above it.
    ///   - newestStoredCursor: that of the store.
    ///   - isBacked: whether the histories of durable topics are read from the store when they are
    ///     needed.
    ///   - forgotten: the cursors of the topics that the store had removed when it was opened.
    package init(
        epoch: String,
        memoryEpoch: String? = nil,
        cursorBase: UInt64,
        memoryCursorBase: UInt64 = 0,
        newestStoredCursor: UInt64 = 0,
        isBacked: Bool = false,
        namespaces: NamespaceTable,
        forgotten: ForgottenCursors = ForgottenCursors(),
        limits: HubLimits = HubLimits()
    ) {
        self.epoch = epoch
        self.isBacked = isBacked
        self.memoryEpoch = memoryEpoch ?? epoch
        self.cursorBase = cursorBase
        state = Locked(
            HistoryState(
                origin: HistoryOrigin(
                    epoch: epoch,
                    memoryEpoch: memoryEpoch ?? epoch,
                    memoryCursorBase: memoryCursorBase
                ),
                isBacked: isBacked,
                newestCursor: max(
                    cursorBase,
                    memoryCursorBase,
                    newestStoredCursor,
                    forgotten.newest
                ),
                namespaces: namespaces,
                forgotten: forgotten,
                limits: limits
            )
        )
    }

    /// Of a server without topics.
    package static var none: HistoryTable {
        HistoryTable(epoch: "none", cursorBase: 0, namespaces: NamespaceTable(histories: [:]))
    }

    /// The values that a new hub takes over.
    struct Beginning {
        var newestCursor: UInt64
        var origin: HistoryOrigin
        var namespaces: NamespaceTable
        var limits: HubLimits
        var forgotten: ForgottenCursors
    }

    var beginning: Beginning {
        state.withLock {
            Beginning(
                newestCursor: $0.newestCursor,
                origin: $0.origin,
                namespaces: $0.namespaces,
                limits: $0.limits,
                forgotten: $0.forgotten
            )
        }
    }

    // MARK: Commits

    /// Restores a topic's history from the store. Returns false, and keeps nothing, if the topic's
    /// namespace is not configured.
    ///
    /// - Parameters:
    ///   - beginning: that of the topic's epoch.
    ///   - publications: oldest first, without evicted and erased ones. May be empty.
    @discardableResult
    package func restore(
        _ topic: Topic,
        beginning: UInt64 = 0,
        topOffset: UInt64,
        evictedOffset: UInt64,
        evictedCursor: UInt64,
        publications: [Publication]
    ) throws(RestoreError) -> Bool {
        try state.withLock { state throws(RestoreError) in
            try state.restore(
                topic,
                beginning: beginning,
                topOffset: topOffset,
                evictedOffset: evictedOffset,
                evictedCursor: evictedCursor,
                publications: publications
            )
        }
    }

    /// Adds publications in commit order, before the loops receive them.
    package func publish(_ publications: [Publication]) {
        let isWaiting = state.withLock { state in
            for publication in publications { state.publish(publication) }
            return !state.nextReads.isEmpty
        }
        // A long publication may have asked for a read.
        if isWaiting { noteRequest() }
    }

    func publish(_ publication: Publication) { publish([publication]) }

    /// Removes a topic's history up to an offset; its offsets continue.
    package func removeHistory(of topic: Topic, through offset: UInt64) {
        state.withLock { $0.removeHistory(of: topic, through: offset) }
    }

    /// Removes the publications of an erasure: see `Erasure`.
    ///
    /// - Complexity: O(publications kept of the topic).
    package func erase(_ erasure: Erasure) {
        state.withLock { $0.erase(erasure) }
    }

    /// Removes a topic that the store has removed.
    package func forget(_ topic: ForgottenTopic) {
        state.withLock { $0.forget(topic) }
    }

    // MARK: Settings

    /// Replaces the namespaces, and applies their history settings to existing topics.
    ///
    /// A namespace that was configured stays, and with the same durability: publications of its topics may
    /// be under way, and their offsets go on.
    package func use(_ namespaces: NamespaceTable) {
        state.withLock { $0.use(namespaces) }
    }

    func use(_ limits: HubLimits) {
        state.withLock { $0.limits = limits }
    }

    // MARK: Readers

    /// Adds a loop, which has reached the newest cursor.
    func addReader() -> Int { state.withLock { $0.addReader() } }

    /// Notes that a loop has reached a cursor. When all loops have, publications beyond the limits
    /// are evicted, and those older than the limits allow, in the next `topicCountMax` topics in
    /// turn.
    func reached(_ cursor: UInt64, by reader: Int, now: Timestamp, topicCountMax: Int) {
        state.withLock { state in
            guard state.reached(cursor, by: reader) else { return }
            state.trim(now: now, topicCountMax: topicCountMax)
        }
    }

    /// The same for the only user of a table.
    func trim(now: Timestamp, topicCountMax: Int) {
        state.withLock { $0.trim(now: now, topicCountMax: topicCountMax) }
    }

    /// The history of a topic as it was at a cursor; nil if it had no publications, or is not here.
    func history(of topic: Topic, at cursor: UInt64) -> TopicHistory? {
        // The copy shares the publications, so that the work on it needs no lock.
        guard case .here(var history) = state.withLock({ $0.lookUp(topic, at: cursor) }) else {
            return nil
        }
        history.rewind(to: cursor)
        return history.topOffset > 0 ? history : nil
    }

    /// Whether a loop at a cursor has to request a topic before it reads it.
    func isElsewhere(_ topic: Topic, at cursor: UInt64) -> Bool {
        guard isBacked else { return false }
        return state.withLock { state in
            if case .elsewhere = state.lookUp(topic, at: cursor) { true } else { false }
        }
    }

    // MARK: Reading from the store

    /// The result of `keep`.
    enum Kept {
        /// The topic stays until `release`.
        case kept
        /// It is in no danger of being dropped, or has no publications.
        case unneeded
        /// It has to be requested.
        case elsewhere
    }

    /// Looks for a topic that a loop is about to read, and keeps it if it is here. Another loop could
    /// otherwise drop it in between.
    func keep(_ topic: Topic, for reader: Int, at cursor: UInt64) -> Kept {
        guard isBacked else { return .unneeded }
        return state.withLock { $0.keep(topic, for: reader, at: cursor) }
    }

    /// The event for which a loop waits that has requested a topic.
    package enum Wait: Sendable, Equatable {
        /// The end of a read.
        case read
        /// The loop's own progress.
        case cursor(UInt64)
    }

    /// Sets the function that is called, from any thread, when there may be topics to read. It must not
    /// block.
    package func setWhenRequested(_ body: @escaping @Sendable () -> Void) {
        listener.withLock { $0.note = body }
    }

    private func noteRequest() { listener.withLock { $0.note }() }

    func request(_ topic: Topic, by reader: Int, at cursor: UInt64) -> Wait? {
        let wait = state.withLock { $0.request(topic, by: reader, at: cursor) }
        if wait == .read { noteRequest() }
        return wait
    }

    func release(_ topic: Topic, by reader: Int) {
        let isWaiting = state.withLock { state in
            state.release(topic, by: reader)
            return !state.nextReads.isEmpty
        }
        if isWaiting { noteRequest() }
    }

    /// Returns the topics to read next, at most `countMax`. Read them from a snapshot that begins after
    /// this call, and call `finish` or `fail` for each of them.
    package func takeReads(countMax: Int) -> [HistoryRead] {
        state.withLock { $0.takeReads(countMax: countMax) }
    }

    /// Adds what was read of a topic.
    ///
    /// - Returns: the loops that may continue; nil if the topic has to be read again.
    package func finish(
        _ read: HistoryRead,
        _ found: FoundHistory
    ) throws(RestoreError) -> HistoryReadEnd? {
        try state.withLock { state throws(RestoreError) in try state.finish(read, found) }
    }

    /// Gives up the read of a topic.
    package func fail(_ topic: Topic) -> HistoryReadEnd { state.withLock { $0.fail(topic) } }

    /// See `ForgottenCursors`; also of a topic that was removed in the store when it was read.
    func forgottenCursor(of topic: Topic) -> UInt64 {
        state.withLock { max($0.forgotten[topic], $0.absent[topic] ?? 0) }
    }

    func contains(_ topic: Topic) -> Bool { state.withLock { $0.numbers[topic] != nil } }

    /// The topic with a number below `numberCount`; nil if the number is free, or if the store lists the
    /// topic. A topic keeps its number until it is removed.
    func topic(numbered number: Int) -> Topic? {
        state.withLock { state in
            state.entries[number].flatMap { $0.isStored ? nil : $0.topic }
        }
    }

    var numberCount: Int { state.withLock { $0.entries.count } }

    /// The topics, in no order.
    var topics: [Topic] { state.withLock { Array($0.numbers.keys) } }

    // MARK: Sizes

    /// The number of topics and the size of their histories.
    package struct Sizes: Sendable {
        package var topicCount: Int
        /// The bytes of those that the store also has.
        package var storedBytes: Int
        /// Of all histories, with the overhead of each publication.
        package var bytes: Int
        /// Publications that were evicted because all histories together were too large.
        package var evictedForMemoryCount: UInt64
    }

    package var sizes: Sizes {
        state.withLock {
            Sizes(
                topicCount: $0.numbers.count,
                storedBytes: $0.storedHistories.bytes,
                bytes: $0.bytes,
                evictedForMemoryCount: $0.evictedForMemoryCount
            )
        }
    }

    /// Returns up to which offset topics were evicted because their own histories had too many
    /// bytes, since the last call. The store keeps those publications until it is notified.
    package func takeEvictions() -> [Topic: UInt64] {
        state.withLock { state in
            defer { state.evictions = [:] }
            return state.evictions
        }
    }

    /// Gives back evictions that the store has not carried out.
    ///
    /// Call it before topics are deleted: those of a deleted topic would stay.
    package func putBack(_ evictions: [Topic: UInt64]) {
        state.withLock { $0.evictions.merge(evictions, uniquingKeysWith: max) }
    }
}

/// The numbers with which the histories of a process begin.
struct HistoryOrigin: Sendable {
    let epoch: String
    let memoryEpoch: String
    let memoryCursorBase: UInt64

    func storeEpoch(_ settings: NamespaceSettings) -> String {
        settings.isDurable ? epoch : memoryEpoch
    }

    /// The history of a topic that has no publications up to a cursor.
    func emptyHistory(
        of topic: Topic,
        _ settings: NamespaceSettings,
        _ forgotten: ForgottenCursors,
        after cursor: UInt64,
        evictedThrough evictedCursor: UInt64 = 0
    ) -> TopicHistory {
        TopicHistory(
            epoch: TopicEpoch(
                store: storeEpoch(settings),
                beginning: forgotten.beginning(of: topic, after: cursor)
            ).text,
            limit: settings.history,
            recovery: settings.recovery,
            evictedCursor: max(
                forgotten[topic],
                settings.isDurable ? 0 : memoryCursorBase,
                evictedCursor
            )
        )
    }
}
