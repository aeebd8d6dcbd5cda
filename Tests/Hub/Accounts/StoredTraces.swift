import Service
import StoreTesting

/// The places of a store that have a text, whatever the tables are: the schema names them.
struct StoredTraces {
    let store: HubStore

    /// The number of rows with any of these ASCII texts in any column, by table.
    func callAsFunction(of texts: [String]) async throws -> [String: Int] {
        let columns = try await columns()
        let tables = Dictionary(grouping: columns) { $0.table }
        let queries = tables.map { table, columns in
            let conditions = columns.flatMap { column in texts.map { column.contains($0) } }
            return (
                table, "SELECT count(*) FROM \(table) WHERE " + conditions.joined(separator: " OR ")
            )
        }
        return try await store.read(AccountTables.self) { tables in
            var counts: [String: Int] = [:]
            for (table, query) in queries {
                let count = try tables.session.rows(query, []) { try $0[0] as Int }.first ?? 0
                if count > 0 { counts[table] = count }
            }
            return counts
        }
    }

    struct Column: Sendable {
        let table: String
        let name: String
        let isBlob: Bool

        func contains(_ text: String) -> String {
            guard TestEngine.isPostgres else {
                return "instr(CAST(\"\(name)\" AS BLOB), CAST('\(text)' AS BLOB)) > 0"
            }
            let column = "\"\(name)\""
            let value = isBlob ? "encode(\(column), 'escape')" : "CAST(\(column) AS text)"
            return "position('\(text)' IN \(value)) > 0"
        }
    }

    func columns() async throws -> [Column] {
        let query =
            TestEngine.isPostgres
            ? """
            SELECT table_name::text, column_name::text, data_type::text
            FROM information_schema.columns WHERE table_schema = current_schema()
            """
            : """
            SELECT t.name, c.name, c.type
            FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
            WHERE t.schema = 'main' AND t.type <> 'view' AND t.name NOT LIKE 'sqlite%'
            """
        return try await store.read(AccountTables.self) { tables in
            try tables.session.rows(query, []) { row in
                Column(table: try row[0], name: try row[1], isBlob: try row[2] == "bytea")
            }
        }
    }
}
