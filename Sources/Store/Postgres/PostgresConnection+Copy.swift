/// Rows in bulk (libpq §34.10): the server takes and returns them while the caller goes on, and
/// neither side keeps more than a buffer of them.
extension PostgresConnection {
    /// Executes `COPY … FROM STDIN`.
    ///
    /// - Parameter body: sends the bytes of the rows, in parts of any length. If it throws, the
    ///   statement fails, and with it the transaction.
    /// - Throws: the error of `body`, or the server's. The server's first error is only found at
    ///   the end.
    package func copyIn(
        _ sql: String,
        _ body: (PostgresCopyInput) throws -> Void
    ) throws {
        try beginCopy(sql, PostgresLibrary.copyIn)
        do {
            try body(PostgresCopyInput(connection: self, sql: sql))
        } catch {
            endCopy("the sender has stopped")
            throw error
        }
        guard waiting({ library.putCopyEnd(connection, nil) }) == 1 else {
            _ = try checked(nil, sql)
            return
        }
        _ = try lastResult(sql)
    }

    /// Executes `COPY … TO STDOUT`.
    ///
    /// - Parameter body: called with each part of the bytes, which is valid only during the call:
    ///   whole rows. If it throws, the connection is closed, because the server would send all
    ///   other rows first.
    package func copyOut(
        _ sql: String,
        _ body: (_ bytes: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try beginCopy(sql, PostgresLibrary.copyOut)
        while true {
            var part: UnsafeMutableRawPointer?
            let count = waiting { library.getCopyData(connection, &part, 0) }
            guard count > 0, let part else { break }
            defer { library.free(part) }
            do {
                try body(UnsafeRawBufferPointer(start: part, count: Int(count)))
            } catch {
                close()
                throw error
            }
        }
        _ = try lastResult(sql)
    }

    private func beginCopy(_ sql: String, _ status: Int32) throws(PostgresError) {
        let result = waiting { library.execute(connection, sql) }
        guard let result, library.resultStatus(result) == status else {
            let other = try checked(result, sql)
            throw PostgresError(
                .unexpected,
                "the server answered \(other.commandTag) instead of COPY",
                statement: sql
            )
        }
        library.clear(result)
    }

    fileprivate func send(_ bytes: [UInt8], _ sql: String) throws(PostgresError) {
        let isSent = bytes.withUnsafeBufferPointer { buffer in
            guard let address = buffer.baseAddress, !buffer.isEmpty else { return true }
            return waiting { library.putCopyData(connection, address, Int32(buffer.count)) } == 1
        }
        if !isSent { _ = try checked(nil, sql) }
    }

    /// Lets the statement fail. Without a connection, there is nothing to end.
    private func endCopy(_ reason: String) {
        guard waiting({ library.putCopyEnd(connection, reason) }) == 1 else { return close() }
        while let result = nextResult() { library.clear(result) }
    }

    /// The result of the whole statement.
    private func lastResult(_ sql: String) throws(PostgresError) -> PostgresResult {
        let result = nextResult()
        while let more = nextResult() { library.clear(more) }
        return try checked(result, sql)
    }
}

/// A `COPY … FROM STDIN` that is under way.
package struct PostgresCopyInput {
    fileprivate let connection: PostgresConnection
    fileprivate let sql: String

    package func send(_ bytes: [UInt8]) throws(PostgresError) { try connection.send(bytes, sql) }
}
