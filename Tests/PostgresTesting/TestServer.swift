// PostgresTesting: the server that Tests/postgres.sh starts.

import Expectations
import Foundation
import Glibc
import Store

/// The connection string of the tests' own PostgreSQL server, a URL with parameters.
package func testServer() throws -> String {
    try require(
        ProcessInfo.processInfo.environment["POSTGRES"],
        "no server: run the tests with `make test` or under Tests/postgres.sh"
    )
}

/// Stops the server's process of a connection without a call, unless the server has ended it meanwhile.
///
/// It may have sent its answer and not yet begun to wait for the next call. Stopped then, it would look
/// like one that works, for ever.
///
/// - Returns: whether the process is stopped.
@discardableResult
package func stopIdle(_ process: Int64) throws -> Bool {
    let connection = try PostgresConnection(testServer())
    let question = "SELECT wait_event FROM pg_stat_activity WHERE pid = \(process)"
    while true {
        let result = try connection.run(question)
        guard result.rowCount > 0 else { return false }
        if try result.text(0, 0) == "ClientRead" { break }
        sched_yield()
    }
    return kill(pid_t(process), SIGSTOP) == 0
}
