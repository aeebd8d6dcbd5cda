/// The logs of connections, users, topics and members: the number of events of each, and its newest.
///
/// A connection has a row while it lasts, and for `lostKept` if it counts as lost: a node that is cut off may
/// still have it. Others have one until `LifecycleSection.lastSeen` after the last departure.
struct LifecycleTables: DomainTables {
    static let migrations = [Migration("lifecycle.1", sql: lifecycle1, phase: .expand)]

    private static let lifecycle1 = """
        CREATE TABLE lifecycle (
            kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4),
            name TEXT NOT NULL CHECK (name <> ''),
            user_id TEXT NOT NULL,
            sequence INTEGER NOT NULL CHECK (sequence > 0),
            is_there INTEGER NOT NULL CHECK (is_there IN (0, 1)),
            changed_at INTEGER NOT NULL,
            PRIMARY KEY (kind, name, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX lifecycle_by_user ON lifecycle (user_id);
        CREATE INDEX lifecycle_present ON lifecycle (is_there, changed_at);
        """

    private let session: SQLSession

    init(_ session: SQLSession, path: String) {
        self.session = session
    }

    // MARK: Logs

    /// Adds a change to the log of its subject, and returns its number and its time; nil if the log ends with
    /// the same state. No event of a log is dated before the one before it.
    func add(_ change: LifecycleChange) throws -> (sequence: Int, time: Timestamp)? {
        let subject = change.subject
        let row = try session.row(
            """
            INSERT INTO lifecycle (kind, name, user_id, sequence, is_there, changed_at)
            VALUES (?, ?, ?, 1, ?, ?)
            ON CONFLICT (kind, name, user_id) DO UPDATE
            SET sequence = lifecycle.sequence + 1, is_there = excluded.is_there,
                changed_at = CASE WHEN excluded.changed_at > lifecycle.changed_at
                    THEN excluded.changed_at ELSE lifecycle.changed_at END
            WHERE lifecycle.is_there <> excluded.is_there
            RETURNING sequence, changed_at
            """,
            [
                Int(subject.kind.rawValue), subject.name.text, subject.user.text,
                change.isThere ? 1 : 0, change.time.milliseconds,
            ]
        )
        guard let row else { return nil }
        let sequence: Int = try row[0]
        let time = try row.instant(1)
        // A log begins with an arrival: the row has expired.
        guard change.isThere || sequence > 1 else {
            try delete(subject)
            return nil
        }
        if subject.kind == .client, !change.isThere, change.reason != .lost { try delete(subject) }
        return (sequence, time)
    }

    private func delete(_ subject: LifecycleSubject) throws {
        try session.run(
            "DELETE FROM lifecycle WHERE kind = ? AND name = ? AND user_id = ?",
            [Int(subject.kind.rawValue), subject.name.text, subject.user.text]
        )
    }

    /// The subjects whose log ends with an arrival.
    func present() throws -> [LifecycleSubject] {
        try session.rows("SELECT kind, name, user_id FROM lifecycle WHERE is_there = 1") { row in
            let kind: Int = try row[0]
            return try UInt8(exactly: kind).flatMap(LifecycleKind.init(rawValue:)).map {
                LifecycleSubject($0, try row[1], user: try row[2])
            }
        }.compactMap(\.self)
    }

    // MARK: Users

    /// The state of a user; nil if nothing is known of them.
    func status(of user: String) throws -> (isOnline: Bool, changedAt: Timestamp)? {
        try session.row(
            "SELECT is_there, changed_at FROM lifecycle WHERE kind = ? AND name = ? AND user_id = ?",
            [Int(LifecycleKind.user.rawValue), user, user]
        ).map { row in
            let isThere: Int = try row[0]
            return (isThere == 1, try row.instant(1))
        }
    }

    /// Everything that is stored about a user.
    func rows(
        of user: String
    ) throws -> [(kind: Int, name: String, isThere: Bool, changedAt: Timestamp)] {
        try session.rows(
            """
            SELECT kind, name, is_there, changed_at FROM lifecycle WHERE user_id = ?
            ORDER BY kind, name
            """,
            [user]
        ) { row in
            let isThere: Int = try row[2]
            return (try row[0], try row[1], isThere == 1, try row.instant(3))
        }
    }

    /// Deletes the logs of a user, the events about them, and their webhooks.
    static func forget(_ user: String, in store: HubStore) async throws {
        try await store.commit(LifecycleTables.self) { tables in
            try tables.session.run("DELETE FROM lifecycle WHERE user_id = ?", [user])
            let erasures = try tables.topics().map {
                Erasure(topic: $0, tag: LifecycleChange.userTag, value: user)
            }
            return (Change(erasures: erasures), ())
        }
    }

    /// The topics that have events, also those of namespaces that have none any more.
    private func topics() throws -> [Topic] {
        let life = Topic.life.name
        return try session.rows(
            "SELECT name FROM topic WHERE name = ? OR name LIKE ?",
            [life, "\(life):%"]
        ) { row in
            let name: String = try row[0]
            return try? Topic(name)
        }.compactMap(\.self)
    }

    // MARK: Expiry

    /// The logs that are kept of subjects that are away: clients can subscribe to any number of topics.
    static let awayMax = 1_000_000
    static let lostKept = Duration.seconds(3600)

    /// The time of the newest departure whose log is deleted.
    ///
    /// - Parameter countMax: the number of logs that may be kept.
    func expiry(lastSeen: Duration, now: Timestamp, countMax: Int) throws -> Timestamp {
        let beyond = try session.integer(
            """
            SELECT changed_at FROM lifecycle WHERE is_there = 0 AND kind <> 1
            ORDER BY changed_at DESC LIMIT 1 OFFSET ?
            """,
            [countMax]
        )
        let end = now - lastSeen
        return max(end, beyond.map { Timestamp(milliseconds: Int64($0)) } ?? end)
    }

    /// Of departures up to a time, without those of connections, for `HubStore.deletingInBatches`. Those of one
    /// moment go together.
    static let deleteExpired = """
        DELETE FROM lifecycle WHERE kind <> 1 AND is_there = 0 AND changed_at <= (
            SELECT max(changed_at) FROM (
                SELECT changed_at FROM lifecycle
                WHERE is_there = 0 AND kind <> 1 AND changed_at <= ?
                ORDER BY changed_at LIMIT ?) AS oldest)
        """

    /// Of connections that were lost up to a time, for `HubStore.deletingInBatches`. The signs keep SQLite from
    /// the index of all departures: connections are fewer.
    static let deleteLost = """
        DELETE FROM lifecycle WHERE kind = 1 AND +is_there = 0 AND name IN (
            SELECT name FROM lifecycle
            WHERE kind = 1 AND +is_there = 0 AND +changed_at <= ? LIMIT ?)
        """
}
