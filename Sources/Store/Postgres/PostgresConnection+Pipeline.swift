/// Statements that are sent together (libpq §34.5).
package struct PostgresCommand: Sendable, Equatable {
    package var sql: String
    package var arguments: PostgresArguments

    package init(_ sql: String, _ arguments: PostgresArguments = PostgresArguments()) {
        self.sql = sql
        self.arguments = arguments
    }
}

extension PostgresConnection {
    /// Sends statements one after the other and waits once, for all results: the network's round
    /// trip is paid once.
    ///
    /// Each statement ends with a synchronisation. With it, PostgreSQL's timeout for sessions that
    /// are idle in a transaction also holds while the client is silent in the middle. After a
    /// statement that fails, the transaction has failed, and the server refuses the statements that
    /// follow in it.
    ///
    /// - Returns: a result for each statement, in order.
    /// - Throws: the first statement's error that failed.
    package func run(_ commands: [PostgresCommand]) throws(PostgresError) -> [PostgresResult] {
        guard commands.count > 1 else {
            guard let command = commands.first else { return [] }
            return [try run(command.sql, command.arguments)]
        }
        var names: [String] = []
        for command in commands {
            names.append(try prepare(command.sql, command.arguments.types))
        }
        roundTrips += 1
        guard library.enterPipeline(connection) == 1 else { throw lost() }
        var failure: PostgresError?
        var results: [PostgresResult] = []
        var sent = 0
        for (command, name) in zip(commands, names) {
            guard send(command, name) else {
                failure = lost()
                break
            }
            sent += 1
        }
        for command in commands.prefix(sent) {
            do {
                results.append(try receive(command.sql))
            } catch {
                failure = failure ?? error
            }
        }
        if isOpen, library.exitPipeline(connection) != 1 { failure = failure ?? lost() }
        if let failure { throw failure }
        return results
    }

    private func send(_ command: PostgresCommand, _ name: String) -> Bool {
        let isSent = command.arguments.withPointers { values, lengths, formats in
            waiting {
                library.sendPrepared(
                    connection,
                    name,
                    Int32(command.arguments.count),
                    values,
                    lengths,
                    formats,
                    1
                )
            }
        }
        return isSent == 1 && waiting { library.sync(connection) } == 1
    }

    /// The result of a statement, the NULL that ends it, and the result of its synchronisation.
    private func receive(_ sql: String) throws(PostgresError) -> PostgresResult {
        let result = nextResult()
        if result != nil, let more = nextResult() { library.clear(more) }
        if let sync = nextResult() { library.clear(sync) }
        return try checked(result, sql)
    }

    func nextResult() -> PostgresLibrary.Result? { waiting { library.nextResult(connection) } }

    private func lost() -> PostgresError {
        PostgresError(.noConnection, isSilent ? lastMessage : "connection lost")
    }
}
