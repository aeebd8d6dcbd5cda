/// A table of what a part of the hub does at present. The console shows it without knowing the part.
package struct StateTable: Sendable, Equatable {
    /// The meaning of the numbers and texts of a column.
    package enum Kind: String, Sendable {
        case text, count
        /// In seconds.
        case duration
        case time
    }

    package struct Column: Sendable, Equatable {
        let name: String
        let kind: Kind

        package init(_ name: String, _ kind: Kind = .text) {
            self.name = name
            self.kind = kind
        }
    }

    package enum Value: Sendable, Equatable {
        case text(String)
        case count(Int)
        case duration(Duration)
        case time(Timestamp)
        case none
    }

    /// The number of rows that are sent; further rows are counted.
    package static let rowsMax = 1000

    package let title: String
    package let columns: [Column]
    package let rows: [[Value]]

    /// - Parameter rows: a value for each column, of its kind, or `none`.
    package init(_ title: String, columns: [Column], rows: [[Value]]) {
        precondition(rows.allSatisfy { $0.count == columns.count }, "a row of another length")
        self.title = title
        self.columns = columns
        self.rows = rows
    }

    package func write(to json: inout JSONWriter) {
        json.field("title", title)
        json.array("columns") { array in
            for column in columns {
                array.object {
                    $0.field("name", column.name)
                    $0.field("kind", column.kind.rawValue)
                }
            }
        }
        json.array("rows") { array in
            for row in rows.prefix(StateTable.rowsMax) {
                array.array { array in for value in row { value.write(to: &array) } }
            }
        }
        json.field("rows_omitted", max(0, rows.count - StateTable.rowsMax))
    }
}

extension StateTable.Value {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .text(let text): json.value(text)
        case .count(let count): json.value(count)
        case .duration(let duration): json.value(duration.inSeconds)
        case .time(let time): json.value(time.iso8601)
        case .none: json.value(nil as String?)
        }
    }
}
