import Activity
import GRDB
import PubSub

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
package struct ActivityTables {
    let database: Database
    private let path: String

    init(_ database: Database, path: String) {
        self.database = database
        self.path = path
    }

    // MARK: Statements, each prepared once and kept

    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database.run(sql, arguments)
    }

    /// Executes a statement and tells how many rows it changed.
    func changes(_ sql: String, _ arguments: StatementArguments) throws -> Int {
        try database.run(sql, arguments)
        return database.changesCount
    }

    func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(try database.cachedStatement(sql: sql), arguments: arguments)
    }

    func rows<Value>(
        _ sql: String,
        _ arguments: StatementArguments,
        _ read: (Row) throws -> Value
    ) throws -> [Value] {
        let cursor = try Row.fetchCursor(
            try database.cachedStatement(sql: sql),
            arguments: arguments
        )
        var values: [Value] = []
        while let row = try cursor.next() { values.append(try read(row)) }
        return values
    }

    func integer(_ sql: String, _ arguments: StatementArguments = []) throws -> Int? {
        try Int.fetchOne(try database.cachedStatement(sql: sql), arguments: arguments)
    }

    func integers(_ sql: String, _ arguments: StatementArguments) throws -> [Int] {
        try rows(sql, arguments) { $0[0] }
    }

    /// SQLite is given texts that end at the first U+0000: cut off there, two of them may be the same.
    func checked(_ texts: String?...) throws {
        for case .some(let text) in texts where text.utf8.contains(0) {
            throw StoreError(.constraint, "text with U+0000", path: path)
        }
    }
}
