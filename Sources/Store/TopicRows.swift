/// Rows that begin with the columns of a topic, split into readable and damaged ones: one damaged
/// row must not hide the others.
struct TopicRows<Row> {
    private(set) var readable: [Row] = []
    private(set) var damaged: [DamagedRow] = []
    /// The topic of the last row, readable or not; nil without rows.
    private(set) var lastID: Int64?
    /// The number of rows.
    var count: Int { readable.count + damaged.count }

    init(
        _ session: SQLSession,
        _ select: String,
        _ arguments: SQLArguments,
        _ read: (SQLRow) throws -> Row
    ) throws {
        try session.forEach(select, arguments) { row in
            let id: Int64 = try row[0]
            lastID = id
            do {
                readable.append(try read(row))
            } catch let error as DamagedValue {
                damaged.append(.topic(id: id, reason: error.message))
            }
            return true
        }
    }

    /// Adds the rows of another result, each topic once, and sorts all by the topic.
    mutating func merge(_ others: TopicRows, id: (Row) -> Int64) {
        let known = Set(readable.map(id))
        readable += others.readable.filter { !known.contains(id($0)) }
        readable.sort { id($0) < id($1) }
        damaged += others.damaged.filter { !damaged.contains($0) }
    }
}

extension TopicRows: Sendable where Row: Sendable {}
