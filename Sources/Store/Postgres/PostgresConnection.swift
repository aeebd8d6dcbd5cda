// Postgres: connections to PostgreSQL servers, through the client library of PostgreSQL itself.

import Glibc

/// One connection to a PostgreSQL server, with prepared statements and binary values.
///
/// Every call blocks until the server has answered, so a connection belongs to a queue or thread of
/// its own and not to the cooperative pool. It is not `Sendable`.
package final class PostgresConnection {
    let library: PostgresLibrary
    /// Nil once it was closed.
    private(set) var connection: PostgresLibrary.Connection?
    /// The names of prepared statements by their text and the types of their arguments.
    private var prepared: [Statement: String] = [:]
    /// The number of waits for the server.
    package internal(set) var roundTrips = 0
    private let line: PostgresLine?
    private let watchdog: PostgresWatchdog?

    private struct Statement: Hashable {
        let sql: String
        let types: [UInt32]
    }

    /// Connects, and blocks until that has succeeded or failed.
    ///
    /// - Parameters:
    ///   - target: a connection string of libpq, a URL or pairs of keyword and value (§34.1.1).
    ///     Several hosts are tried in turn.
    ///   - defaults: further keywords, for what `target` does not set. `connect_timeout` limits the
    ///     time for each host.
    ///   - watchdog: ends the connection if the server hangs.
    package init(
        _ target: String,
        defaults: [(keyword: String, value: String)] = [],
        watchedBy watchdog: PostgresWatchdog? = nil
    ) throws(PostgresError) {
        let library = try PostgresLibrary.loaded()
        let connection = try library.connect(
            defaults.map { ($0.keyword, $0.value) }
                + [("dbname", target), ("client_encoding", "UTF8")],
            PostgresHosts(target, library)
        )
        self.library = library
        self.connection = connection
        self.watchdog = watchdog
        // Without a receiver, libpq prints the server's warnings on standard error.
        _ = library.setNoticeReceiver(connection, { _, _ in }, nil)
        let copy = watchdog == nil ? -1 : dup(library.socket(connection))
        guard let watchdog, copy >= 0 else {
            line = nil
            return
        }
        let line = PostgresLine(library.server(of: connection), descriptor: copy)
        self.line = line
        watchdog.add(line)
    }

    deinit { close() }

    /// Ends the connection, and with it what belongs to it: a transaction, locks.
    /// Later calls fail with `noConnection`.
    package func close() {
        if let line { watchdog?.remove(line) }
        if let connection { library.finish(connection) }
        connection = nil
        line?.end()
    }

    /// Whether the watchdog has ended the connection, because the server was silent.
    package var isSilent: Bool { line?.silence != nil }

    /// Tells the watchdog the number of the server's process (`pg_backend_pid`). A connection pooler
    /// sends another one.
    package func setProcess(_ process: Int64) { line?.process = process }

    /// Runs a call of libpq that waits for the server.
    func waiting<Value>(_ body: () -> Value) -> Value {
        guard let line else { return body() }
        return line.waiting(body)
    }

    /// Whether the connection was there when it was last used.
    package var isOpen: Bool {
        library.status(connection) == PostgresLibrary.connectionOK
    }

    /// Whether a transaction has begun and not ended, failed ones included.
    package var isInTransaction: Bool {
        isOpen && library.transactionStatus(connection) != PostgresLibrary.transactionIdle
    }

    /// The server's version: 150018 is 15.18.
    package var serverVersion: Int { Int(library.serverVersion(connection)) }

    /// Executes one or more statements without arguments, which are not prepared: several are one
    /// transaction.
    ///
    /// - Returns: the result of the last one, whose values are texts.
    @discardableResult
    package func execute(_ sql: String) throws(PostgresError) -> PostgresResult {
        roundTrips += 1
        return try checked(waiting { library.execute(connection, sql) }, sql)
    }

    /// Executes a statement that is prepared once for each combination of its arguments' types.
    @discardableResult
    package func run(
        _ sql: String,
        _ arguments: PostgresArguments = PostgresArguments()
    ) throws(PostgresError) -> PostgresResult {
        let name = try prepare(sql, arguments.types)
        roundTrips += 1
        let result = arguments.withPointers { values, lengths, formats in
            waiting {
                library.executePrepared(
                    connection,
                    name,
                    Int32(arguments.count),
                    values,
                    lengths,
                    formats,
                    1
                )
            }
        }
        return try checked(result, sql)
    }

    /// Waits until a notification or an error has arrived, or the time is over.
    ///
    /// - Returns: whether there was a notification on any channel that the connection listens to;
    ///   all that have arrived are taken.
    package func waitForNotification(milliseconds: Int32) throws(PostgresError) -> Bool {
        if takeNotifications() { return true }
        var descriptor = pollfd(
            fd: library.socket(connection),
            events: Int16(POLLIN),
            revents: 0
        )
        guard descriptor.fd >= 0 else { throw PostgresError(.noConnection, lastMessage) }
        guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
        guard library.consumeInput(connection) == 1 else {
            throw PostgresError(.noConnection, lastMessage)
        }
        return takeNotifications()
    }

    /// Returns a copy of the descriptor, which the caller closes. If another thread shuts it down, the
    /// connection is lost, and a wait for notifications ends.
    package func copyOfDescriptor() throws(PostgresError) -> Int32 {
        let copy = dup(library.socket(connection))
        guard copy >= 0 else { throw PostgresError(.noConnection, "no descriptor: error \(errno)") }
        return copy
    }

    private func takeNotifications() -> Bool {
        var found = false
        while let notification = library.notification(connection) {
            library.free(notification)
            found = true
        }
        return found
    }

    /// The name of the prepared statement.
    func prepare(_ sql: String, _ types: [UInt32]) throws(PostgresError) -> String {
        let statement = Statement(sql: sql, types: types)
        if let name = prepared[statement] { return name }
        let name = "s\(prepared.count)"
        roundTrips += 1
        _ = try checked(
            waiting { library.prepare(connection, name, sql, Int32(types.count), types) },
            sql
        )
        prepared[statement] = name
        return name
    }

    /// - Throws: the server's error, or that of the connection.
    func checked(
        _ result: PostgresLibrary.Result?,
        _ sql: String
    ) throws(PostgresError) -> PostgresResult {
        guard let result else { throw PostgresError(.noConnection, lastMessage, statement: sql) }
        switch library.resultStatus(result) {
        case PostgresLibrary.commandOK, PostgresLibrary.tuplesOK:
            return PostgresResult(result, library)
        default:
            defer { library.clear(result) }
            throw error(of: result, sql)
        }
    }

    private func error(of result: PostgresLibrary.Result, _ sql: String) -> PostgresError {
        func field(_ code: Int32) -> String? {
            library.resultErrorField(result, code).map { String(cString: $0) }
        }
        guard isOpen, let state = field(PostgresLibrary.fieldState) else {
            return PostgresError(.noConnection, lastMessage, statement: sql)
        }
        var message = field(PostgresLibrary.fieldMessage) ?? "refused"
        if let detail = field(PostgresLibrary.fieldDetail) { message += ": \(detail)" }
        return PostgresError(.refused(.init(state)), message, statement: sql)
    }

    var lastMessage: String {
        guard connection != nil else { return "the connection was closed" }
        if let silence = line?.silence {
            let seconds = (silence / .milliseconds(100)).rounded() / 10
            return "no answer from the server for \(seconds) s: the connection was dropped"
        }
        return library.lastMessage(of: connection)
    }
}

extension PostgresLibrary {
    /// libpq's own text, in one line.
    func lastMessage(of connection: Connection?) -> String {
        let text = errorMessage(connection).map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" })
        }
        return lines.isEmpty ? "connection lost" : lines.joined(separator: " ")
    }
}

/// A NULL-terminated array of C strings, freed with this.
final class CStrings {
    private let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() {
            (pointers + index).initialize(to: strdup(text))
        }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }

    var pointer: PostgresLibrary.Values {
        UnsafeRawPointer(pointers).assumingMemoryBound(to: PostgresLibrary.Text?.self)
    }
}

extension PostgresArguments {
    /// Calls `body` with the arrays that libpq takes. All arguments are binary.
    func withPointers<Value>(
        _ body: (PostgresLibrary.Values, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Value
    ) -> Value {
        let formats = [Int32](repeating: 1, count: count)
        // A buffer that is empty may have no address, and only NULL is one.
        return (buffer.isEmpty ? [0] : buffer).withUnsafeBufferPointer { bytes in
            let base = UnsafeRawPointer(bytes.baseAddress!).assumingMemoryBound(to: CChar.self)
            let values = starts.map { start in start.map { base + $0 } }
            return body(values, lengths, formats)
        }
    }
}
