/// Where a store is in PostgreSQL: a connection string of libpq, and the schema of its tables.
package struct PostgresTarget: Sendable, Equatable {
    /// The connection string for libpq.
    package var connection: String
    package var schema: String

    package static let schemaByDefault = "varde"

    /// Reads a URL such as `postgresql://varde@db1,db2/hub?sslmode=verify-full&schema=varde`. Its
    /// other parameters are those of libpq (PostgreSQL, §34.1.1.2).
    ///
    /// - Returns: nil for a text that is no such URL, and for a schema's name that is not made of
    ///   lower-case letters, digits and `_`, or is longer than 63 bytes.
    package init?(_ text: String) {
        guard Self.isURL(text) else { return nil }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var rest: [Substring] = []
        schema = Self.schemaByDefault
        for parameter in parts.count == 2 ? parts[1].split(separator: "&") : [] {
            guard parameter.hasPrefix("schema=") else {
                rest.append(parameter)
                continue
            }
            schema = String(parameter.dropFirst("schema=".count))
        }
        guard Self.isName(schema) else { return nil }
        let query = rest.isEmpty ? "" : "?" + rest.joined(separator: "&")
        connection = String(parts[0]) + query
    }

    /// Whether a text is meant as a URL of PostgreSQL, valid or not.
    package static func isURL(_ text: String) -> Bool {
        ["postgresql://", "postgres://"].contains { text.hasPrefix($0) }
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, (1...63).contains(text.utf8.count) else { return false }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return !digits.contains(first)
            && text.utf8.allSatisfy {
                letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_")
            }
    }

    /// The target without a password and without parameters, for errors and the log.
    package var name: String {
        let address = connection.prefix { $0 != "?" }
        guard let at = address.lastIndex(of: "@"),
            let authority = address.firstRange(of: "://")?.upperBound
        else { return String(address) }
        let user = address[authority..<at].prefix { $0 != ":" }
        return String(address[..<authority] + user + address[at...])
    }
}
