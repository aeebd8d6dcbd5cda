/// A company that a text names.
package struct TickerMention: Hashable, Sendable {
    /// The kind of mention, the least certain first.
    package enum Evidence: Int, Comparable, Sendable {
        /// A name that is also a word, in context.
        case nameInContext
        /// A symbol without an exchange: `(AAPL)`, or `AAPL shares`.
        case symbol
        case name
        /// A symbol with its exchange, or `$AAPL`.
        case explicitSymbol

        package static func < (one: Evidence, other: Evidence) -> Bool {
            one.rawValue < other.rawValue
        }
    }

    package var ticker: Ticker
    /// The most certain of its mentions.
    package var evidence: Evidence
    package var isInTitle: Bool
    package var count: Int
}
