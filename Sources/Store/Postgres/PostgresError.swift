/// Why PostgreSQL did not do what it was asked to do.
package struct PostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// The client library is missing or too old.
        case noLibrary
        /// There is no connection: it could not be made, or it was lost. If it was lost during a
        /// COMMIT, it is not known whether the transaction was committed.
        case noConnection
        /// The server refused the statement with a code (PostgreSQL, appendix A).
        case refused(SQLState)
        /// The statement returned something that the caller did not expect, such as a column of
        /// another type.
        case unexpected
    }

    /// An SQLSTATE: five characters, of which the first two are the class.
    package struct SQLState: Sendable, Hashable, ExpressibleByStringLiteral {
        package let text: String

        package init(_ text: String) { self.text = text }
        package init(stringLiteral text: String) { self.text = text }

        package static let lockNotAvailable: SQLState = "55P03"

        /// Whether the state belongs to this class.
        package func isOf(class name: String) -> Bool { text.hasPrefix(name) }
    }

    package var code: Code
    package var message: String
    /// The statement, without its values; nil if there was none.
    package var statement: String?

    package init(_ code: Code, _ message: String, statement: String? = nil) {
        self.code = code
        self.message = message
        self.statement = statement
    }

    /// The server's code; nil for an error of the client.
    package var state: SQLState? {
        if case .refused(let state) = code { state } else { nil }
    }

    package var description: String {
        var text = message
        if let state { text += " (SQLSTATE \(state.text))" }
        if let statement { text += " in: \(statement)" }
        return text
    }
}
