/// Histories that the store has and memory has not.
///
/// **Function.** A topic that the store has may be absent here. Loops `request` it, `takeReads` returns the
/// topics to read next, and `finish` adds what was read, with the commits since `takeReads`, because the
/// store's snapshot may be older or newer than what the loops have received. When the histories are larger
/// than their budget, those that were not used for longest are dropped.
///
/// **Promises.** The snapshot begins after `takeReads`, so a commit is in it, or among the changes since, or
/// comes later: nothing is missing, nothing is there twice, and what was erased does not come back. A
/// loop reads a history only when it has reached everything that the snapshot had. A history is not
/// dropped while a loop keeps it: one that waits for it, or is about to read it.
extension HistoryState {
    enum Lookup {
        /// The history has to be rewound to the cursor.
        case here(TopicHistory)
        /// The topic has no publications.
        case none
        /// It has to be requested.
        case elsewhere
    }

    /// Returns the history that a loop at a cursor reads.
    mutating func lookUp(_ topic: Topic, at cursor: UInt64) -> Lookup {
        if !former.isEmpty, let found = former[topic]?.first(where: { cursor < $0.through }) {
            return .here(found.history)
        }
        guard let number = numbers[topic] else {
            return mayBeStored(topic) || absentThrough(topic) > cursor ? .elsewhere : .none
        }
        guard entries[Int(number)]!.readThrough <= cursor else { return .elsewhere }
        entries[Int(number)]!.wasUsed = true
        return .here(entries[Int(number)]!.history)
    }

    private func mayBeStored(_ topic: Topic) -> Bool {
        guard isBacked, let settings = namespaces[topic], settings.isDurable,
            settings.history.count > 0
        else { return false }
        return absent[topic] == nil
    }

    /// The cursor from which on a topic that the store does not have is empty: a loop that is behind it
    /// still receives publications of a topic that the snapshot no longer had. 0 for other topics.
    private func absentThrough(_ topic: Topic) -> UInt64 { absent[topic] ?? 0 }

    // MARK: Requests

    /// Asks for a topic. Returns what the loop has to wait for; nil if it can read the topic now.
    mutating func request(
        _ topic: Topic,
        by reader: Int,
        at cursor: UInt64
    ) -> HistoryTable.Wait? {
        if let number = numbers[topic] {
            hold(number, for: [reader])
            let through = entries[Int(number)]!.readThrough
            return through > cursor ? .cursor(through) : nil
        }
        guard mayBeStored(topic) else {
            let through = absentThrough(topic)
            return through > cursor ? .cursor(through) : nil
        }
        beginRead(of: topic, for: [reader])
        return .read
    }

    /// Looks for a topic that a loop is about to read, and keeps it for the loop if it is here.
    mutating func keep(_ topic: Topic, for reader: Int, at cursor: UInt64) -> HistoryTable.Kept {
        switch lookUp(topic, at: cursor) {
        case .elsewhere: return .elsewhere
        case .none: return .unneeded
        case .here:
            guard let number = numbers[topic], entries[Int(number)]!.isStored else {
                return .unneeded
            }
            if !entries[Int(number)]!.holders.contains(reader) { hold(number, for: [reader]) }
            return .kept
        }
    }

    private static let unreadMax = 10_000

    private mutating func beginRead(of topic: Topic, for readers: Set<Int>) {
        unread[topic] = nil
        if reads[topic] == nil {
            reads[topic] = PendingRead(readers: [])
            nextReads.append(topic)
        }
        reads[topic]!.readers.formUnion(readers)
    }

    /// Reads a topic whose history could exceed its limit of bytes: the store keeps what is over it until
    /// `takeEvictions` names it. Only publications above the average that the limits allow can exceed it. A
    /// read is worth a quarter of the limit, so that it is rare in comparison with the writes.
    mutating func readIfLong(_ publication: Publication, _ limit: HistoryLimit) {
        guard limit.count > 0, publication.wireLength > limit.bytes / limit.count else { return }
        if unread.count >= Self.unreadMax { unread.removeAll() }
        unread[publication.topic, default: 0] += publication.wireLength
        guard unread[publication.topic]! > limit.bytes / 4 else { return }
        beginRead(of: publication.topic, for: [])
    }

    private mutating func hold(_ number: Int32, for readers: Set<Int>) {
        guard !readers.isEmpty, entries[Int(number)]!.isStored else { return }
        entries[Int(number)]!.holders.formUnion(readers)
        held.insert(entries[Int(number)]!.topic)
    }

    /// Notes that a loop has used a topic that it had requested.
    mutating func release(_ topic: Topic, by reader: Int) {
        guard let number = numbers[topic] else { return }
        entries[Int(number)]!.holders.remove(reader)
        guard entries[Int(number)]!.holders.isEmpty else { return }
        held.remove(topic)
        evictOverBytes()
    }

    // MARK: Reads

    /// The number of topics that are known to be absent; far more than one request can name.
    private static let absentMax = 10_000
    /// The largest part of the budget that one topic takes, and that those take that loops wait for.
    private var readBytesMax: Int { max(1, limits.storedHistoryBytesMax / 2) }

    /// Returns the topics to read next: so many that they fit into the budget, however long they are. Only one
    /// if topics that loops still have to use fill half of the budget; never none, because work can need more
    /// topics than fit.
    mutating func takeReads(countMax: Int) -> [HistoryRead] {
        guard !nextReads.isEmpty else { return [] }
        let isFull = heldBytes >= readBytesMax
        guard !isFull || underwayCount == 0 else { return [] }
        let countMax = isFull ? 1 : countMax
        var taken: [HistoryRead] = []
        var bytesLeft = limits.storedHistoryBytesMax
        while taken.count < countMax, let topic = nextReads.first {
            guard reads[topic] != nil, let settings = namespaces[topic] else {
                nextReads.removeFirst()
                continue
            }
            let limit = HistoryLimit(
                count: settings.history.count,
                age: settings.history.age,
                bytes: min(settings.history.bytes, readBytesMax)
            )
            // Without a budget, any number of them fits.
            if bytesLeft < .max {
                guard taken.isEmpty || limit.bytes <= bytesLeft else { break }
                bytesLeft -= limit.bytes
            }
            nextReads.removeFirst()
            taken.append(HistoryRead(topic: topic, limit: limit))
            // Commits that were noted before are in the snapshot.
            reads[topic] = PendingRead(readers: reads[topic]!.readers)
        }
        underwayCount += taken.count
        return taken
    }

    private var heldBytes: Int {
        held.reduce(0) { sum, topic in sum + (numbers[topic].map { bytes(of: $0) } ?? 0) }
    }

    /// Notes a commit for a topic that is being read. Returns false if it is not.
    mutating func noteForRead(_ change: PendingRead.Change, of topic: Topic) -> Bool {
        guard !reads.isEmpty, reads[topic] != nil else { return false }
        reads[topic]!.add(change, bytesMax: readBytesMax)
        return true
    }

    /// Adds what was read of a topic.
    ///
    /// - Returns: nil if it has to be read again.
    mutating func finish(
        _ read: HistoryRead,
        _ found: FoundHistory
    ) throws(RestoreError) -> HistoryReadEnd? {
        let topic = read.topic
        guard let pending = reads.removeValue(forKey: topic), let settings = namespaces[topic]
        else { preconditionFailure("topic \(topic) is not being read") }
        underwayCount -= 1
        guard !pending.isOutdated else {
            beginRead(of: topic, for: pending.readers)
            return nil
        }
        do throws(RestoreError) {
            try add(topic, found, settings, isWhole: read.limit.bytes == settings.history.bytes)
        } catch {
            reads[topic] = pending
            underwayCount += 1
            throw error
        }
        if let number = numbers[topic] { hold(number, for: pending.readers) }
        for change in pending.changes { apply(change, to: topic) }
        guard numbers[topic] != nil || absent[topic] != nil else {
            // The commits did not continue what was read.
            beginRead(of: topic, for: pending.readers)
            return nil
        }
        // Also of a topic that has begun with the changes.
        if let number = numbers[topic] { hold(number, for: pending.readers) }
        evictOverBytes()
        return HistoryReadEnd(
            topic: topic,
            outcome: .read(
                through: numbers[topic].map { entries[Int($0)]!.readThrough }
                    ?? absentThrough(topic)
            ),
            readers: pending.readers
        )
    }

    private mutating func add(
        _ topic: Topic,
        _ found: FoundHistory,
        _ settings: NamespaceSettings,
        isWhole: Bool
    ) throws(RestoreError) {
        let stored: StoredHistory
        switch found {
        case .history(let history): stored = history
        case .nothing(let cursor):
            if absent.count >= Self.absentMax { absent.removeAll() }
            absent[topic] = cursor
            return
        }
        let history = try TopicHistory(
            epoch: TopicEpoch(store: origin.epoch, beginning: stored.beginning).text,
            limit: settings.history,
            recovery: settings.recovery,
            topOffset: stored.topOffset,
            evictedOffset: stored.evictedOffset,
            evictedCursor: stored.evictedCursor,
            throughCursor: stored.throughCursor,
            publications: stored.publications
        )
        let number = add(topic, history, settings)
        entries[Int(number)]!.readThrough = stored.throughCursor
        absent[topic] = nil
        if stored.isCut, isWhole { evictions[topic] = history.evictedOffset }
    }

    private mutating func apply(_ change: PendingRead.Change, to topic: Topic) {
        switch change {
        case .publication(let publication): append(publication)
        case .removal(let offset): removeHistory(of: topic, through: offset)
        case .erasure(let erasure, let cursor): erase(erasure, at: cursor)
        }
    }

    /// Gives up a read. Returns the loops that wait.
    mutating func fail(_ topic: Topic) -> HistoryReadEnd {
        underwayCount -= 1
        return HistoryReadEnd(
            topic: topic,
            outcome: .failed,
            readers: reads.removeValue(forKey: topic)?.readers ?? []
        )
    }

    // MARK: The budget

    /// Adds a topic to those that can be dropped.
    mutating func order(_ number: Int32) {
        storedCount += 1
        let index = Int(number)
        if index >= isOrdered.count {
            isOrdered += [Bool](repeating: false, count: index + 1 - isOrdered.count)
        }
        // A topic that had the number before may have left its place.
        guard !isOrdered[index] else { return }
        isOrdered[index] = true
        storedOrder.append(number)
    }

    private var isOverBudget: Bool {
        storedHistories.bytes + storedCount * limits.topicOverhead > limits.storedHistoryBytesMax
            || bytes > limits.historyBytesMax
    }

    /// Drops stored histories that were not used since they were last considered, until the rest is within
    /// the budget.
    mutating func dropUnused() {
        guard isOverBudget else { return }
        // Whatever was used is dropped the second time.
        for _ in 0..<2 * storedOrder.count {
            guard isOverBudget, let number = storedOrder.popFirst() else { return }
            guard let entry = entries[Int(number)], entry.isStored else {
                isOrdered[Int(number)] = false
                continue
            }
            if entry.wasUsed || !entry.holders.isEmpty {
                entries[Int(number)]!.wasUsed = false
                storedOrder.append(number)
            } else {
                isOrdered[Int(number)] = false
                drop(number)
            }
        }
    }
}
