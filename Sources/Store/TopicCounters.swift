/// The next offsets and cursors: a copy in memory of the values that the transaction would read.
///
/// The writer advances the counters as it inserts, and restores them with the rows when a savepoint
/// or the transaction is rolled back: every change keeps the value that it replaced. Between
/// transactions the copy may be dropped; only the file is authoritative.
///
/// An event without a row leaves no cursor in the file. So that no cursor is ever assigned twice,
/// the file contains the upper bound of the cursors of such events, a block ahead; see
/// `reservedBlock`.
struct TopicCounters {
    struct Row {
        let id: Int64
        var topOffset: UInt64
        /// `TopicEpoch.beginning` of the topic's epoch.
        var beginning: UInt64
        /// The time of the newest publication. None is earlier than the one before it, even if the
        /// clock goes back: reading a history by age ends at the first publication that is too old.
        var newestTime = Timestamp(milliseconds: .min)
    }

    /// A state of the transaction to which `rollBack` can return.
    struct Mark {
        fileprivate let changeCount: Int
        fileprivate let lastCursor: UInt64
        let rowCursor: UInt64
        fileprivate let reservedCursor: UInt64
        fileprivate let forgotten: ForgottenCursors
        fileprivate let memory: MemoryTopics.Mark
    }

    /// The number of cursors that one write to the file reserves. A start skips the rest of the
    /// last block; there are 2^52 cursors in total.
    static let reservedBlock: UInt64 = 1_000_000

    private(set) var lastCursor: UInt64
    /// The last cursor that was assigned to a row.
    private(set) var rowCursor: UInt64
    private(set) var forgotten: ForgottenCursors
    /// The highest cursor that events without a row may have.
    private(set) var reservedCursor: UInt64
    var memory: MemoryTopics
    private var rows: [Topic: Row] = [:]
    /// The rows that the transaction has replaced, in order; nil for a topic that was not in
    /// `rows`.
    private var replaced: [(topic: Topic, row: Row?)] = []
    private let topicsCachedMax: Int
    /// The gap of the current transaction, or of the last one.
    private var gap: CursorGap?
    /// The values of the current transaction, while concurrent events use the gap.
    private var suspended: (lastCursor: UInt64, reservedCursor: UInt64)?

    /// - Parameter rowCursor: nil when it is the last cursor.
    init(
        lastCursor: UInt64,
        rowCursor: UInt64? = nil,
        forgotten: ForgottenCursors = ForgottenCursors(),
        limits: StoreLimits
    ) {
        self.lastCursor = lastCursor
        self.rowCursor = rowCursor ?? lastCursor
        self.forgotten = forgotten
        reservedCursor = lastCursor
        memory = MemoryTopics(limits: limits)
        topicsCachedMax = limits.topicsCachedMax
    }

    var mark: Mark {
        Mark(
            changeCount: replaced.count,
            lastCursor: lastCursor,
            rowCursor: rowCursor,
            reservedCursor: reservedCursor,
            forgotten: forgotten,
            memory: memory.mark
        )
    }

    mutating func beginTransaction() {
        replaced.removeAll(keepingCapacity: true)
        gap = nil
        if rows.count > topicsCachedMax { rows.removeAll() }
        memory.beginTransaction()
    }

    mutating func rollBack(to mark: Mark) {
        while replaced.count > mark.changeCount {
            let (topic, row) = replaced.removeLast()
            rows[topic] = row
        }
        // Events that were announced during the transaction keep their cursors.
        lastCursor = max(mark.lastCursor, gap?.last ?? 0)
        rowCursor = mark.rowCursor
        reservedCursor = mark.reservedCursor
        forgotten = mark.forgotten
        memory.rollBack(to: mark.memory)
    }

    /// Continues after the numbers assigned by a commit whose result is unknown: topics are read
    /// again from the file, and no cursor is assigned twice. Only that transaction has replaced
    /// rows.
    mutating func rereadRows(behind cursor: UInt64) {
        rows.removeAll()
        replaced.removeAll()
        lastCursor = max(lastCursor, cursor)
    }

    /// Returns the topic's row, read from the file if necessary. A new topic gets one.
    mutating func row(of topic: Topic, in session: SQLSession) throws -> Row {
        if let known = rows[topic] { return known }
        let row = try load(topic, in: session)
        rows[topic] = row
        replaced.append((topic, nil))
        return row
    }

    /// Assigns the topic's next offset, the next cursor, and the time: that of the event, or of the
    /// newest publication if that is later. A new topic gets its row.
    mutating func next(
        of topic: Topic,
        at time: Timestamp,
        in session: SQLSession
    ) throws -> (row: Row, cursor: UInt64) {
        let known = rows[topic]
        var row = try known ?? load(topic, in: session)
        row.topOffset += 1
        row.newestTime = max(row.newestTime, time)
        if row.topOffset == 1 { try begin(&row, of: topic, in: session) }
        rows[topic] = row
        replaced.append((topic, known))
        lastCursor += 1
        rowCursor = lastCursor
        return (row, lastCursor)
    }

    /// Sets the topic's epoch, which begins with its first publication.
    private func begin(_ row: inout Row, of topic: Topic, in session: SQLSession) throws {
        row.beginning = forgotten.beginning(of: topic, after: lastCursor)
        if row.beginning > 0 { try session.setBeginning(row.beginning, ofTopic: row.id) }
    }

    /// The same for a topic that is kept only in memory.
    mutating func nextInMemory(of event: TopicEvent, cursor: UInt64) -> MemoryTopics.Row {
        memory.next(
            of: event.topic,
            at: event.time,
            cursor: cursor,
            beginning: forgotten.beginning(of: event.topic, after: cursor - 1),
            from: event.source
        )
    }

    /// Deletes a topic and its row, if it has one.
    mutating func forget(_ topic: ForgottenTopic) {
        forgotten.add(topic)
        if let known = rows.removeValue(forKey: topic.topic) {
            replaced.append((topic.topic, known))
        }
        memory.forget(topic.topic)
    }

    /// Takes over the offset of a publication that another node of a cluster has committed.
    mutating func adopt(_ publication: Publication) {
        guard publication.offset > 0, rows[publication.topic] != nil else { return }
        // The first one begins the topic's epoch, which its row has.
        if publication.offset == 1 {
            rows[publication.topic] = nil
        } else {
            rows[publication.topic]?.topOffset = publication.offset
            let time = max(publication.time, rows[publication.topic]!.newestTime)
            rows[publication.topic]?.newestTime = time
        }
    }

    /// Continues after a cursor that another node of a cluster has assigned.
    mutating func noteLast(_ cursor: UInt64) {
        lastCursor = max(lastCursor, cursor)
        rowCursor = max(rowCursor, cursor)
    }

    /// Whether `count` events without a row can have their cursors without a write to the file.
    func hasReserved(_ count: Int) -> Bool {
        lastCursor + UInt64(count) <= reservedCursor
    }

    /// Assigns the next cursor to an event without a row. Outside a transaction, check
    /// `hasReserved` first.
    mutating func nextCursorWithoutRow(in session: SQLSession) throws -> UInt64 {
        lastCursor += 1
        if lastCursor > reservedCursor {
            assert(session.isInTransaction)
            try reserve(in: session)
        }
        return lastCursor
    }

    /// Reserves a block of cursors for events without a row.
    mutating func reserve(in session: SQLSession) throws {
        reservedCursor = lastCursor + Self.reservedBlock
        try session.run(SQL.reserveCursors, [Int64(reservedCursor)])
    }

    // MARK: Beside a transaction

    /// Leaves out `count` cursors for events during the transaction, but no more than are reserved
    /// in the file.
    mutating func leaveOut(_ count: UInt64) {
        let reserved = reservedCursor > lastCursor ? reservedCursor - lastCursor : 0
        let gap = CursorGap(last: lastCursor, end: lastCursor + min(count, reserved))
        self.gap = gap
        lastCursor = gap.end
    }

    /// Lends all reserved cursors, while the writer assigns none.
    mutating func lendReserved() {
        gap = CursorGap(last: lastCursor, end: max(lastCursor, reservedCursor))
    }

    /// Continues after those of the lent cursors that were assigned.
    mutating func takeBack() {
        lastCursor = max(lastCursor, gap?.last ?? 0)
    }

    /// Switches to the cursors of the gap; returns the number of those left, and the memory topics
    /// that the transaction has changed.
    mutating func beginBeside() -> (cursors: Int, published: Set<Topic>) {
        guard let gap else { preconditionFailure("no cursors were left out") }
        precondition(suspended == nil)
        suspended = (lastCursor, reservedCursor)
        lastCursor = gap.last
        reservedCursor = gap.end
        return (Int(gap.end - gap.last), memory.changedTopics)
    }

    /// Switches back to the cursors of the transaction.
    mutating func endBeside() {
        guard let suspended else { preconditionFailure("not during a transaction") }
        gap?.last = lastCursor
        (lastCursor, reservedCursor) = suspended
        self.suspended = nil
    }

    /// The next cursor of the gap.
    mutating func nextCursorBeside() -> UInt64 {
        precondition(suspended != nil && lastCursor < reservedCursor)
        lastCursor += 1
        return lastCursor
    }

    private func load(_ topic: Topic, in session: SQLSession) throws -> Row {
        if let row = try session.row(SQL.selectTopic, [topic.name]) { return try Row(row) }
        let id = try session.insert(SQL.insertTopic, [topic.name, evictedCursor(ofNew: topic)])
        return Row(id: Int64(id))
    }

    /// A new row has the cursor of deleted topics, so that a reader of a stream that left before
    /// the deletion receives a gap notification.
    func evictedCursor(ofNew topic: Topic) -> Int64 { Int64(forgotten[topic]) }

    // MARK: Read ahead

    func isKnown(_ topic: Topic) -> Bool { rows[topic] != nil }

    /// The id of a topic whose row was read.
    func id(of topic: Topic) -> Int64? { rows[topic]?.id }

    /// Takes the row of a topic, which was read or inserted in this transaction.
    mutating func add(_ row: Row, of topic: Topic) {
        precondition(rows[topic] == nil)
        rows[topic] = row
        replaced.append((topic, nil))
    }
}

extension TopicCounters.Row {
    /// The topic's id, its highest offset, whether or not that publication was evicted or erased,
    /// the beginning of its epoch, and the time of its newest publication: of one that has a row,
    /// and of those that have had one.
    static let columns = """
        id, max(evicted_offset, erased_offset, coalesce(
            (SELECT max(topic_offset) FROM publication WHERE topic_id = topic.id), 0)), beginning,
        (SELECT time FROM publication WHERE topic_id = topic.id ORDER BY topic_offset DESC LIMIT 1),
        past_time
        """

    /// A row of these columns.
    init(_ row: SQLRow) throws {
        // Damaged times are those of none.
        let times = [3, 4].compactMap { try? row[$0] as Int64 }
        self.init(
            id: try row[0],
            topOffset: try row.place(1),
            beginning: try row.place(2),
            newestTime: Timestamp(milliseconds: times.max() ?? .min)
        )
    }

    /// A topic without publications.
    init(id: Int64) {
        self.init(id: id, topOffset: 0, beginning: 0)
    }
}
