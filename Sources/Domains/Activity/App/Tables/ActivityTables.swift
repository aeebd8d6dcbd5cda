import Activity
import DomainKit

/// The film app's tables within one transaction or snapshot.
///
/// `HubStore.commitActivity` and `readActivity` lend it to a function; it cannot be used outside of
/// it. Readers must not call methods that write: the reader's connection refuses them.
///
/// For a missing film or person, methods return nil or a separate outcome. An error is thrown only
/// if the store failed, or if a text is out of its bounds.
///
/// After a block, by either of the two, no list of one shows the other. People with deleted
/// accounts are in no list either, while some counts still include them until `purgeDeletedPeople`
/// has finished.
package struct ActivityTables: DomainTables {
    let session: SQLSession
    let path: String

    package init(_ session: SQLSession, path: String) {
        self.session = session
        self.path = path
    }

    // MARK: Statements

    func run(_ sql: String, _ arguments: SQLArguments = []) throws {
        try session.run(sql, arguments)
    }

    func changes(_ sql: String, _ arguments: SQLArguments) throws -> Int {
        try session.changes(sql, arguments)
    }

    func row(_ sql: String, _ arguments: SQLArguments) throws -> SQLRow? {
        try session.row(sql, arguments)
    }

    func rows<Value>(
        _ sql: String,
        _ arguments: SQLArguments,
        _ read: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try session.rows(sql, arguments, read)
    }

    func integer(_ sql: String, _ arguments: SQLArguments = []) throws -> Int? {
        try session.integer(sql, arguments)
    }

    func integers(_ sql: String, _ arguments: SQLArguments) throws -> [Int] {
        try session.integers(sql, arguments)
    }

    /// SQLite is given texts that end at the first U+0000: cut off there, two of them may be the same.
    func checked(_ texts: String?...) throws {
        for case .some(let text) in texts where text.utf8.contains(0) {
            throw StoreError(.constraint, "text with U+0000", path: path)
        }
    }
}
