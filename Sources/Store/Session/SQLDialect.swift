/// The dialect of SQL of a session's engine.
///
/// Almost all statements are written once, in SQLite's dialect, and `PostgresDialect` translates
/// them. The dialect matters where the engines differ in more than words, as in full-text search.
package enum SQLDialect: Sendable {
    case sqlite
    case postgres
}

extension SQLSession {
    package var dialect: SQLDialect {
        switch engine {
        case .sqlite: .sqlite
        case .postgres: .postgres
        }
    }
}
