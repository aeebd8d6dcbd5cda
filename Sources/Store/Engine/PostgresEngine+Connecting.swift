/// The connections of a store in PostgreSQL, and how long they wait for a server.
extension PostgresEngine {
    /// The silence of a server after which its connections are dropped, if it does not answer on
    /// another one either.
    static let silenceMax = Duration.seconds(10)
    /// Less would take a server for dead to which a connection takes long.
    private static let silenceMin = Duration.seconds(2)

    /// The watchdog of the connections of one store.
    ///
    /// - Parameter cluster: a node leaves a server that hangs before it counts as cut off.
    static func watchdog(_ target: PostgresTarget, _ cluster: ClusterOptions?) -> PostgresWatchdog {
        let limit = min(cluster?.staleAfter ?? silenceMax, silenceMax)
        return PostgresWatchdog(limit: max(limit, silenceMin), target: target.connection)
    }

    /// Limits of the time until a statement fails on a broken network: in seconds, and in
    /// milliseconds for unacknowledged data. `connect` sets the same ones on the server's side, where
    /// a lost connection keeps its claim until then.
    static let defaults = [
        ("application_name", "varde"), ("connect_timeout", "5"), ("keepalives_idle", "5"),
        ("keepalives_interval", "2"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
    ]

    static func connect(
        _ target: PostgresTarget,
        defaults: [(String, String)] = defaults,
        watchedBy watchdog: PostgresWatchdog? = nil
    ) throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection(
            target.connection,
            defaults: defaults,
            watchedBy: watchdog
        )
        let process = try connection.execute(
            """
            SET search_path = \(target.schema), pg_catalog;
            SET client_min_messages = warning;
            SET default_transaction_isolation = 'read committed';
            SET tcp_keepalives_idle = 5;
            SET tcp_keepalives_interval = 2;
            SET tcp_keepalives_count = 3;
            SET tcp_user_timeout = 10000;
            SELECT pg_backend_pid()::text
            """
        )
        if let number = try process.text(0, 0).flatMap({ Int64($0) }) {
            connection.setProcess(number)
        }
        return connection
    }
}
