/// A store in PostgreSQL, for a copy.
struct PostgresCopyEnd: CopyEnd {
    let connection: PostgresConnection
    let target: PostgresTarget
    /// The types of the columns, by table and column.
    private let types: [String: [String: PostgresColumnType]]
    private let found: [CopyTable]
    /// The references between tables, which hold again when all rows are inserted.
    private let references: [Reference]

    /// A foreign key.
    struct Reference {
        var table: String
        var name: String
        var definition: String
    }

    var path: String { target.name }

    /// Reads the catalogue of the schema.
    ///
    /// - Parameter references: the foreign keys that were dropped.
    init(
        _ connection: PostgresConnection,
        _ target: PostgresTarget,
        references: [Reference] = []
    ) throws {
        self.connection = connection
        self.target = target
        self.references = references
        do {
            let keys = try Self.keys(connection)
            (found, types) = try Self.catalogue(connection, keys, path: target.name)
        } catch {
            throw StoreError.translating(error, path: target.name)
        }
    }

    private func naming<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw StoreError.translating(error, path: path) }
    }

    func tables() throws -> [CopyTable] { found }

    func run(_ sql: String) throws {
        try naming { _ = try connection.execute(sql) }
    }

    // MARK: The catalogue

    private static func catalogue(
        _ connection: PostgresConnection,
        _ keys: [String: [String]],
        path: String
    ) throws -> ([CopyTable], [String: [String: PostgresColumnType]]) {
        let columns = try connection.run(selectColumns)
        var tables: [CopyTable] = []
        var types: [String: [String: PostgresColumnType]] = [:]
        for row in 0..<columns.rowCount {
            guard let table = try columns.text(row, 0), let name = try columns.text(row, 1),
                let oid = try columns.integer(row, 2), let type = try columns.text(row, 3),
                !CopyPlan.tablesOfTheStore.contains(table)
            else { continue }
            guard let known = PostgresColumnType(oid: oid) else {
                throw StoreError(
                    .other,
                    "column \(name) of table \(table) has the type \(type), which cannot be copied",
                    path: path
                )
            }
            if tables.last?.name != table {
                tables.append(CopyTable(name: table, columns: [], key: keys[table] ?? []))
            }
            types[table, default: [:]][name] = known
            tables[tables.count - 1].columns.append(name)
            if try columns.integer(row, 4) == 1 { tables[tables.count - 1].numbered = name }
        }
        return (tables, types)
    }

    /// The columns of all tables, without generated ones.
    private static let selectColumns = """
        SELECT class.relname::text, attribute.attname::text, attribute.atttypid,
            format_type(attribute.atttypid, NULL), attribute.attidentity <> ''
        FROM pg_class AS class JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
        WHERE class.relnamespace = current_schema()::regnamespace AND class.relkind = 'r'
            AND attribute.attnum > 0 AND NOT attribute.attisdropped
            AND attribute.attgenerated = ''
        ORDER BY class.relname COLLATE "C", attribute.attnum
        """

    /// The columns by which the rows of each table are identified.
    private static func keys(_ connection: PostgresConnection) throws -> [String: [String]] {
        let rows = try connection.run(selectKeys)
        var keys: [String: [String]] = [:]
        var indexes: [String: Int64] = [:]
        for row in 0..<rows.rowCount {
            guard let table = try rows.text(row, 0), let index = try rows.integer(row, 1),
                let column = try rows.text(row, 2)
            else { continue }
            if indexes[table] == nil { indexes[table] = index }
            if indexes[table] == index { keys[table, default: []].append(column) }
        }
        return keys
    }

    /// The columns of the unique indexes of columns that are never NULL, primary keys first.
    private static let selectKeys = """
        SELECT class.relname::text, entry.indexrelid, attribute.attname::text
        FROM pg_index AS entry JOIN pg_class AS class ON class.oid = entry.indrelid
        CROSS JOIN LATERAL unnest(entry.indkey) WITH ORDINALITY AS place (attnum, number)
        JOIN pg_attribute AS attribute
            ON attribute.attrelid = class.oid AND attribute.attnum = place.attnum
        WHERE class.relnamespace = current_schema()::regnamespace AND class.relkind = 'r'
            AND entry.indisunique AND entry.indpred IS NULL AND NOT EXISTS (
                SELECT 1 FROM unnest(entry.indkey) AS part (attnum) LEFT JOIN pg_attribute AS each
                    ON each.attrelid = class.oid AND each.attnum = part.attnum
                WHERE each.attnotnull IS NOT TRUE)
        ORDER BY class.relname COLLATE "C", NOT entry.indisprimary, entry.indexrelid, place.number
        """

    // MARK: Rows

    func read(_ step: CopyStep, _ body: ([CopyValue]) throws -> Void) throws {
        let types = types(of: step)
        let order = step.key.map { name in
            let isText = self.types[step.table]?[name] == .text
            return CopyTable.quoted(name) + (isText ? " COLLATE \"C\"" : "")
        }
        let sql = """
            COPY (SELECT \(CopyTable.quoted(step.columns)) FROM \(CopyTable.quoted(step.table))
            ORDER BY \(order.joined(separator: ", "))) TO STDOUT (FORMAT binary)
            """
        var reader = PostgresCopyReader()
        try naming {
            try connection.copyOut(sql) { bytes in
                try reader.read(bytes) { fields in
                    guard fields.count == types.count else {
                        throw PostgresError(.unexpected, "\(fields.count) fields in a row")
                    }
                    try body(
                        zip(fields, types).map { field, type in try Self.value(field, type) }
                    )
                }
            }
        }
    }

    private static func value(
        _ field: UnsafeRawBufferPointer?,
        _ type: PostgresColumnType
    ) throws(PostgresError) -> CopyValue {
        guard let field else { return .null }
        switch type {
        case .text: return .text([UInt8](field))
        case .bytes: return .blob([UInt8](field))
        case .real: if let value = field.real { return .real(value) }
        case .integer, .mediumInteger, .smallInteger:
            if let value = field.integer(as: type) { return .integer(value) }
        }
        throw PostgresError(.unexpected, "a field of \(field.count) bytes for a number")
    }

    private func types(of step: CopyStep) -> [PostgresColumnType] {
        step.columns.map { name in
            guard let type = types[step.table]?[name] else {
                preconditionFailure("column \(name) is not in the catalogue")
            }
            return type
        }
    }

    /// The bytes that are sent at once.
    private static let partBytes = 1 << 16

    func insert(
        _ step: CopyStep,
        _ body: (_ insert: ([CopyValue]) throws -> Void) throws -> Void
    ) throws {
        let types = types(of: step)
        let sql = """
            COPY \(CopyTable.quoted(step.table)) (\(CopyTable.quoted(step.columns)))
            FROM STDIN (FORMAT binary)
            """
        try naming {
            try connection.copyIn(sql) { input in
                var writer = PostgresCopyWriter()
                try body { row in
                    writer.beginRow(fields: row.count)
                    for (index, value) in row.enumerated() {
                        guard Self.append(value, as: types[index], to: &writer) else {
                            throw refusal(of: value, in: step.columns[index], row, step)
                        }
                    }
                    guard writer.buffer.count >= Self.partBytes else { return }
                    try input.send(writer.buffer)
                    writer.clear()
                }
                writer.end()
                try input.send(writer.buffer)
            }
        }
    }

    /// - Returns: false if the column cannot have the value.
    private static func append(
        _ value: CopyValue,
        as type: PostgresColumnType,
        to writer: inout PostgresCopyWriter
    ) -> Bool {
        switch (value, type) {
        case (.null, _): writer.appendNull()
        case (.integer(let value), _): return writer.append(value, as: type)
        case (.real(let value), .real): writer.append(value)
        case (.text(let bytes), .text):
            guard !bytes.contains(0) else { return false }
            writer.append(bytes)
        case (.blob(let bytes), .bytes): writer.append(bytes)
        default: return false
        }
        return true
    }

    private func refusal(
        of value: CopyValue,
        in column: String,
        _ row: [CopyValue],
        _ step: CopyStep
    ) -> StoreError {
        let place = "table \(step.table), row \(step.describeKey(of: row)): column \(column)"
        guard case .text(let bytes) = value, bytes.contains(0) else {
            return StoreError(.constraint, "\(place) has a value of another type", path: path)
        }
        return StoreError(
            .constraint,
            "\(place) has a text with U+0000, which PostgreSQL cannot store",
            path: path
        )
    }

    // MARK: Numbers

    func lastNumber(of table: CopyTable) throws -> Int64? {
        guard let column = table.numbered else { return nil }
        return try naming {
            let name = try connection.run(
                "SELECT pg_get_serial_sequence($1, $2)",
                Self.arguments(CopyTable.quoted(table.name), column)
            )
            guard let sequence = try name.text(0, 0) else { return nil }
            let row = try connection.run("SELECT last_value, is_called FROM \(sequence)")
            return try row.integer(0, 1) == 1 ? row.integer(0, 0) : nil
        }
    }

    func continueNumbers(of table: CopyTable, after number: Int64?) throws {
        guard let column = table.numbered else { return }
        try naming {
            let (name, quoted) = (CopyTable.quoted(table.name), CopyTable.quoted(column))
            let highest = try connection.run("SELECT max(\(quoted)) FROM \(name)").integer(0, 0)
            let last = max(number ?? 0, highest ?? 0)
            guard last > 0 else { return }
            var arguments = Self.arguments(name, column)
            arguments.append(last)
            try connection.run("SELECT setval(pg_get_serial_sequence($1, $2), $3)", arguments)
        }
    }

    private static func arguments(_ texts: String...) -> PostgresArguments {
        var arguments = PostgresArguments()
        for text in texts { arguments.append(text) }
        return arguments
    }

    /// The epoch holds on this server. Statistics of the rows are made here, because the planner
    /// would have none until the server makes them by itself.
    func complete() throws {
        try naming {
            let place = try PostgresPlace.current(connection)
            var arguments = Self.arguments(place.system)
            arguments.append(place.timeline)
            try connection.run("UPDATE hub SET system = $1, timeline = $2", arguments)
            for reference in references {
                try connection.execute(
                    """
                    ALTER TABLE \(CopyTable.quoted(reference.table))
                    ADD CONSTRAINT \(CopyTable.quoted(reference.name)) \(reference.definition)
                    """
                )
            }
            for table in found {
                try connection.execute("ANALYZE \(CopyTable.quoted(table.name))")
            }
        }
    }
}
