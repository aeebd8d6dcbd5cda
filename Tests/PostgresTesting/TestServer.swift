// PostgresTesting: the server that Tests/postgres.sh starts.

import Foundation
import Glibc
import Postgres
import Testing

/// The connection string of the tests' own PostgreSQL server, a URL with parameters.
package func testServer() throws -> String {
    try #require(
        ProcessInfo.processInfo.environment["POSTGRES"],
        "no server: run the tests with `make test` or under Tests/postgres.sh"
    )
}

/// Stops the server's process of a connection without a call.
///
/// It may have sent its answer and not yet begun to wait for the next call. Stopped then, it would look
/// like one that works, for ever.
package func stopIdle(_ process: Int64) throws {
    let connection = try PostgresConnection(testServer())
    let question = "SELECT wait_event FROM pg_stat_activity WHERE pid = \(process)"
    while try connection.run(question).text(0, 0) != "ClientRead" { sched_yield() }
    kill(pid_t(process), SIGSTOP)
}
