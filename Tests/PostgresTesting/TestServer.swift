// PostgresTesting: the server that Tests/postgres.sh starts.

import Foundation
import Testing

/// The connection string of the tests' own PostgreSQL server, a URL with parameters.
package func testServer() throws -> String {
    try #require(
        ProcessInfo.processInfo.environment["POSTGRES"],
        "no server: run the tests with `make test` or under Tests/postgres.sh"
    )
}
