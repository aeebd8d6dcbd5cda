/// Reads a file whose lines are rows with the same columns: bytes in, rows and problems out.
///
/// Drain it with `next` after each `receive` and after `end`, as a `CSVReader`.
struct TableReader: Sendable {
    enum Output {
        case row(TableRow)
        case problem(ImportProblem)
    }

    let file: String
    private var reader: CSVReader
    private let columns: TableColumns
    /// The positions of the needed columns; nil before the header line.
    private var positions: [Int]?
    private var fieldCount = 0
    private var isEnded = false

    init(file: String, dialect: CSVReader.Dialect, columns: TableColumns) {
        self.file = file
        self.columns = columns
        reader = CSVReader(dialect)
        if case .all(let count) = columns {
            positions = Array(0..<count)
            fieldCount = count
        }
    }

    mutating func receive(_ bytes: some Collection<UInt8>) { reader.receive(bytes) }

    mutating func end() {
        reader.end()
        isEnded = true
    }

    /// Returns the next row or its error; nil if more bytes are needed, or at the end.
    ///
    /// - Throws: if the file as a whole is not the expected table.
    mutating func next() throws(ImportError) -> Output? {
        let record: CSVRecord?
        do throws(CSVError) { record = try reader.next() } catch {
            let message = "column \(error.column): \(error.message)"
            return .problem(problem(line: error.line, message))
        }
        guard let record else {
            // A download that brought nothing is no table without rows.
            if isEnded, positions == nil { throw columns.missing(in: file) }
            return nil
        }
        guard let positions else {
            positions = try columns.positions(in: record, of: file)
            fieldCount = record.count
            return try next()
        }
        guard record.count == fieldCount else {
            let message = "\(record.count) fields where there should be \(fieldCount)"
            return .problem(problem(line: record.line, message))
        }
        return .row(TableRow(record: record, positions: positions))
    }

    func problem(line: Int, _ message: String) -> ImportProblem {
        ImportProblem(file: file, line: line, message: message)
    }
}

/// The positions of the columns that are read from a table.
enum TableColumns: Sendable {
    /// The first line names them, in any order and among others.
    case named([String])
    /// There is no such line; every column is wanted, this many.
    case all(Int)

    fileprivate func missing(in file: String) -> ImportError {
        guard case .named(let names) = self else { preconditionFailure("a table without a header") }
        return ImportError("\(file): no line with the columns \(names.joined(separator: ", "))")
    }

    fileprivate func positions(
        in header: CSVRecord,
        of file: String
    ) throws(ImportError) -> [Int] {
        guard case .named(let names) = self else { preconditionFailure("a table without a header") }
        let found = (0..<header.count).map { String(decoding: header[$0], as: UTF8.self) }
        var positions: [Int] = []
        for name in names {
            guard let position = found.firstIndex(of: name) else {
                let line = header.line
                let excerpt = FieldValue.excerpt(Array(found.joined(separator: ",").utf8)[...])
                throw ImportError("\(file):\(line): no column \"\(name)\" in \(excerpt)")
            }
            positions.append(position)
        }
        return positions
    }
}

/// The wanted fields of one row.
struct TableRow: Sendable {
    fileprivate let record: CSVRecord
    fileprivate let positions: [Int]

    var line: Int { record.line }

    /// - Parameter index: among the wanted columns.
    subscript(index: Int) -> ArraySlice<UInt8> { record[positions[index]] }
}
