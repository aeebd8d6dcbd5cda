/// One of the two stores of a copy, inside the one transaction in which it is read or filled.
///
/// Its functions throw `StoreError`, and the errors of the bodies that they are passed.
protocol CopyEnd {
    /// Names the store in errors.
    var path: String { get }

    /// The tables with rows of their own: without those that an engine or its triggers fill.
    func tables() throws -> [CopyTable]

    /// Calls `body` with every row, in the order of the key: numbers by their value, texts and
    /// blobs by their bytes.
    func read(_ step: CopyStep, _ body: ([CopyValue]) throws -> Void) throws

    /// Calls `body` with a function that inserts a row.
    func insert(
        _ step: CopyStep,
        _ body: (_ insert: ([CopyValue]) throws -> Void) throws -> Void
    ) throws

    /// The highest number that was ever assigned to a row of the table, which is not assigned
    /// again; nil if the store has no note of it.
    func lastNumber(of table: CopyTable) throws -> Int64?

    /// Continues the numbers of a table above that number and above those of its rows.
    func continueNumbers(of table: CopyTable, after number: Int64?) throws

    /// Checks the references between tables, and makes the next start continue the epoch. Called
    /// when all rows are inserted.
    func complete() throws

    /// Runs a statement; for tests.
    func run(_ sql: String) throws
}

/// A value as it is stored. A text is its UTF-8 bytes, which are not checked here.
enum CopyValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
}

/// A table as the engine's catalogue describes it.
struct CopyTable: Equatable {
    var name: String
    /// Without generated and hidden ones.
    var columns: [String]
    /// The columns that identify a row: the primary key, or else columns that are unique and never
    /// NULL. Empty if there are none.
    var key: [String]
    /// The column whose numbers the engine assigns and does not assign again.
    var numbered: String?

    /// A name in quotation marks, as both engines read it.
    static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    static func quoted(_ names: [String]) -> String {
        names.map { quoted($0) }.joined(separator: ", ")
    }
}

/// The columns of one table that are copied, and the order of its rows.
struct CopyStep: Equatable {
    let table: String
    let columns: [String]
    let key: [String]

    /// Names a row in errors by its key, such as `(topic_id 7, key "a")`.
    func describeKey(of row: [CopyValue]) -> String {
        let parts = key.compactMap { name in
            columns.firstIndex(of: name).map { "\(name) \(row[$0].shortText)" }
        }
        return "(\(parts.joined(separator: ", ")))"
    }
}

extension CopyValue {
    /// The number of bytes of a long value in an error.
    private static let shownBytesMax = 64

    /// The value in one line, shortened.
    fileprivate var shortText: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let bytes):
            String(decoding: bytes.prefix(Self.shownBytesMax), as: UTF8.self).debugDescription
                + (bytes.count > Self.shownBytesMax ? "…" : "")
        case .blob(let bytes):
            "x'" + bytes.prefix(Self.shownBytesMax).hexadecimal + "'"
                + (bytes.count > Self.shownBytesMax ? "…" : "")
        }
    }
}

extension Sequence<UInt8> {
    var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
