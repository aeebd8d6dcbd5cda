import Glibc

/// A question to a server on a connection of its own, which never waits beyond its deadline.
enum PostgresProbe {
    /// - Parameters:
    ///   - target: the connection string.
    ///   - server: the one of its hosts that is asked.
    static func ask(
        _ target: String,
        at server: PostgresServer,
        about processes: [Int64],
        within limit: Duration
    ) -> PostgresAnswer {
        guard let library = try? PostgresLibrary.loaded() else { return .none }
        let end = ContinuousClock.now + limit
        let parameters = parameters(target, at: server)
        let connection = library.beginConnecting(parameters)
        defer { library.finish(connection) }
        guard let connection, library.isConnected(connection, before: end) else {
            return hasRefused(connection, library, parameters) ? .refusal : .none
        }
        let sql = question(about: processes)
        guard library.sendQuery(connection, sql) == 1,
            library.hasResult(connection, before: end)
        else { return .none }
        return working(library.nextResult(connection), library)
    }

    private static func parameters(
        _ target: String,
        at server: PostgresServer
    ) -> [(String, String)] {
        [
            ("application_name", "varde"), ("dbname", target), ("host", server.host),
            ("hostaddr", server.address), ("port", server.port), ("target_session_attrs", "any"),
        ]
    }

    /// A process that waits for its client has nothing to do: what it was sent is lost, or it has
    /// answered. While it sends an answer, it waits for the network.
    private static func question(about processes: [Int64]) -> String {
        """
        SELECT pid::text FROM pg_catalog.pg_stat_activity
        WHERE pid = ANY ('{\(processes.map(String.init).joined(separator: ","))}')
            AND wait_event IS DISTINCT FROM 'ClientRead'
        """
    }

    private static func working(
        _ result: PostgresLibrary.Result?,
        _ library: PostgresLibrary
    ) -> PostgresAnswer {
        guard let result else { return .none }
        defer { library.clear(result) }
        guard library.resultStatus(result) == PostgresLibrary.tuplesOK else { return .refusal }
        let processes = (0..<library.rowCount(result)).compactMap { row -> Int64? in
            guard let text = library.value(result, row, 0) else { return nil }
            return Int64(String(cString: text))
        }
        return .working(Set(processes))
    }

    /// Whether a server without a connection for us is there, such as one with all connections in
    /// use. libpq does not return the reason in another way.
    private static func hasRefused(
        _ connection: PostgresLibrary.Connection?,
        _ library: PostgresLibrary,
        _ parameters: [(String, String)]
    ) -> Bool {
        // While it is connecting, the time is over.
        guard library.status(connection) == PostgresLibrary.connectionBad else { return false }
        let keywords = CStrings(parameters.map(\.0) + ["connect_timeout"])
        let values = CStrings(parameters.map(\.1) + ["2"])
        return [PostgresLibrary.pingOK, PostgresLibrary.pingReject].contains(
            library.ping(keywords.pointer, values.pointer, 1)
        )
    }
}

extension PostgresLibrary {
    fileprivate func beginConnecting(_ parameters: [(String, String)]) -> Connection? {
        let keywords = CStrings(parameters.map(\.0))
        let values = CStrings(parameters.map(\.1))
        return connectStart(keywords.pointer, values.pointer, 1)
    }

    /// Waits until the connection is made.
    ///
    /// - Returns: false if it failed, or the time is over.
    fileprivate func isConnected(
        _ connection: Connection,
        before end: ContinuousClock.Instant
    ) -> Bool {
        _ = setNoticeReceiver(connection, { _, _ in }, nil)
        // libpq §34.1: as if the last call had returned `PGRES_POLLING_WRITING`.
        var step = Self.pollingWriting
        while step == Self.pollingWriting || step == Self.pollingReading {
            let events = step == Self.pollingWriting ? POLLOUT : POLLIN
            guard isReady(socket(connection), for: Int16(events), before: end) else { return false }
            step = connectPoll(connection)
        }
        return step == Self.pollingOK
    }

    /// Waits until a result can be taken without waiting. A lost connection is also a result.
    fileprivate func hasResult(
        _ connection: Connection,
        before end: ContinuousClock.Instant
    ) -> Bool {
        while isBusy(connection) == 1 {
            guard isReady(socket(connection), for: Int16(POLLIN), before: end) else { return false }
            guard consumeInput(connection) == 1 else { return false }
        }
        return true
    }

    private func isReady(
        _ descriptor: Int32,
        for events: Int16,
        before end: ContinuousClock.Instant
    ) -> Bool {
        let left = end - .now
        guard descriptor >= 0, left > .zero else { return false }
        var waited = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&waited, 1, Int32(clamping: Int(left / .milliseconds(1)) + 1)) > 0
    }
}
