/// The server, and the timeline of its write-ahead log, in which a store's epoch holds.
///
/// A timeline begins where a standby is promoted, and where a backup is restored up to a point in
/// time (PostgreSQL, §26.3.5). Both may lack commits that were acknowledged, so a hub that finds
/// another timeline begins a new epoch. So does one that finds another server or another table: a
/// dump that was restored.
struct PostgresPlace: Equatable, Sendable, CustomStringConvertible {
    /// `pg_control_system().system_identifier`, which each `initdb` makes, and the OID of the log's
    /// table, which a dump does not contain.
    var system: String
    var timeline: Int64

    var description: String { "system \(system), timeline \(timeline)" }

    /// Whether it is that of a standby of the other's server, which was promoted since.
    func isLater(than other: PostgresPlace) -> Bool {
        system == other.system && timeline > other.timeline
    }

    static func current(_ connection: PostgresConnection) throws(PostgresError) -> PostgresPlace {
        // The timeline is the first eight hexadecimal digits of a file's name in the log.
        let row = try connection.run(
            """
            SELECT system_identifier::text || '/' || 'publication'::regclass::oid,
                ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint
            FROM pg_control_system()
            """
        )
        guard let system = try row.text(0, 0), let timeline = try row.integer(0, 1) else {
            throw PostgresError(.unexpected, "no system identifier")
        }
        return PostgresPlace(system: system, timeline: timeline)
    }
}

extension StoreIdentity {
    /// Reads the identity, or begins another one.
    static func establish(
        _ session: SQLSession,
        at place: PostgresPlace,
        options: StoreOptions,
        wall: Timestamp,
        newEpoch: String
    ) throws -> StoreIdentity {
        let stored = try session.row("SELECT system, timeline FROM hub")
        let before = try stored.map { _ in try read(session) }
        let isKept = try stored.map { row in
            let (system, timeline): (String?, Int64?) = (try row[0], try row[1])
            return system == place.system && timeline == place.timeline
        }
        if isKept != true || options.startsNewEpoch {
            let base = base(after: before, .nothing, wall: wall)
            try begin(newEpoch, base: base, isFirst: before == nil, in: session)
        }
        // The nodes of a cluster use the schema side by side, and know of each other's commits.
        try session.run(
            "UPDATE hub SET system = ?, timeline = ?, claims = claims + ?",
            [place.system, place.timeline, options.cluster == nil ? 1 : 0]
        )
        var identity = try read(session)
        identity.continuity = before == nil ? .first : .kept
        identity.wasRestored = isKept == false
        return identity
    }
}
