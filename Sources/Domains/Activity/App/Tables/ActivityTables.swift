import Activity
import PubSub
import Store

/// The film app's tables, as they are inside of one transaction or snapshot.
///
/// `HubStore.commitActivity` and `readActivity` lend it to a function; it is of no use outside of it. Who
/// only reads must not call what writes: the reader's connection refuses it.
///
/// Methods that are asked for a film or a person that is not there say so by nil or by an outcome of their
/// own. An error is thrown only where the store failed, or where a text is out of its bounds.
///
/// Who is blocked, by either of the two, finds nothing of the other in any list. Whose account is deleted
/// is in no list either, while some counts still have them until `purgeDeletedPeople` is through.
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
