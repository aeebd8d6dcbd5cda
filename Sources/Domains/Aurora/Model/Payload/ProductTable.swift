/// A column that a product's decoder needs, under the names it has had.
struct TableColumn {
    var names: [String]
    /// The product is refused when no row has the column: upstream renamed it, and reading on would
    /// mean reading nothing.
    var isRequired = true
}

/// Reads SWPC's two shapes of a table: `[[header], [row], …]`, numbers usually as texts, and `[{…},
/// …]`.
///
/// Rows go to the closure one at a time, so that a body of 2.7 MB costs the rows that are kept.
/// Space is O(columns); the order of rows is upstream's.
struct ProductTable {
    private let columns: [TableColumn]
    private var shape = Shape.unknown
    /// Whether a row or the header had the column.
    private var isSeen: [Bool]
    private(set) var notes = PayloadNotes()
    private(set) var rowCount = 0
    /// Rows without a readable time.
    private var timelessCount = 0
    private var firstTimeError: PayloadError?
    private let now: Timestamp
    private let allowsFuture: Bool

    private enum Shape {
        case unknown
        /// For each position in a row, the index of the wanted column.
        case rows([Int?])
        case objects
    }

    /// Reads all of `bytes`. The first column is the time of the row: a row without one is counted
    /// and not handed on, and so is a row later than `now` allows, unless `allowsFuture`. A table
    /// without any other row is refused.
    ///
    /// - Returns: the parts that were skipped.
    @discardableResult
    static func read(
        _ bytes: [UInt8],
        columns: [TableColumn],
        now: Timestamp,
        allowsFuture: Bool = false,
        row: (inout TableRow) throws(PayloadError) -> Void
    ) throws(PayloadError) -> PayloadNotes {
        var reader = try PayloadReader(bytes)
        var table = ProductTable(columns: columns, now: now, allowsFuture: allowsFuture)
        try reader.array { (reader, _) throws(PayloadError) in
            try table.readElement(&reader, row: row)
        }
        try reader.finish()
        guard table.rowCount > 0 else { throw .noRows }
        let timedCount = table.rowCount - table.timelessCount
        if timedCount == 0, let error = table.firstTimeError { throw error }
        for (column, isSeen) in zip(columns, table.isSeen) where column.isRequired && !isSeen {
            throw .missingField(column.names[0])
        }
        guard table.notes.futureRowCount < timedCount else {
            throw .onlyFutureTimes(rowCount: timedCount)
        }
        table.notes.nonFiniteCount = reader.nonFiniteCount
        return table.notes
    }

    private init(columns: [TableColumn], now: Timestamp, allowsFuture: Bool) {
        self.columns = columns
        self.now = now
        self.allowsFuture = allowsFuture
        isSeen = columns.map { _ in false }
    }

    private mutating func readElement(
        _ reader: inout PayloadReader,
        row: (inout TableRow) throws(PayloadError) -> Void
    ) throws(PayloadError) {
        if case .unknown = shape {
            guard try reader.peek() == UInt8(ascii: "{") else {
                return shape = .rows(try readHeader(&reader))
            }
            shape = .objects
        }
        rowCount += 1
        guard rowCount <= AuroraLimits.rowCountMax else {
            throw .tooManyRows(countMax: AuroraLimits.rowCountMax)
        }
        let cells = try readCells(&reader)
        var tableRow = TableRow(cells: cells, number: rowCount)
        let time: Timestamp
        do throws(PayloadError) { time = try tableRow.time(0) } catch {
            timelessCount += 1
            firstTimeError = firstTimeError ?? error
            return
        }
        guard allowsFuture || time <= now + AuroraLimits.clockSkewMax else {
            notes.futureRowCount += 1
            return
        }
        try row(&tableRow)
        notes.rejectedNumberCount += tableRow.rejectedNumberCount
    }

    private mutating func readHeader(_ reader: inout PayloadReader) throws(PayloadError) -> [Int?] {
        var layout: [Int?] = []
        try reader.array { (reader, _) throws(PayloadError) in
            guard case .text(let name) = try reader.scalar() else { return layout.append(nil) }
            layout.append(self.column(named: name))
        }
        return layout
    }

    private mutating func readCells(
        _ reader: inout PayloadReader
    ) throws(PayloadError) -> [JSONScalar] {
        var cells = columns.map { _ in JSONScalar.null }
        switch shape {
        case .objects, .unknown:
            try reader.object { (reader, name) throws(PayloadError) in
                guard let column = self.column(named: name) else { return try reader.skip() }
                cells[column] = try reader.scalar()
            }
        case .rows(let layout):
            var found = 0
            try reader.array { (reader, position) throws(PayloadError) in
                found += 1
                guard position < layout.count, let column = layout[position] else {
                    return try reader.skip()
                }
                cells[column] = try reader.scalar()
            }
            guard found == layout.count else {
                throw .wrongColumnCount(row: rowCount, found: found, wanted: layout.count)
            }
        }
        return cells
    }

    private mutating func column(named name: String) -> Int? {
        guard let index = columns.firstIndex(where: { $0.names.contains(name) }) else { return nil }
        isSeen[index] = true
        return index
    }
}

/// The wanted cells of one row, in the order in which the columns were asked for.
struct TableRow {
    let cells: [JSONScalar]
    /// Counts from 1, without the header.
    let number: Int
    fileprivate(set) var rejectedNumberCount = 0

    fileprivate init(cells: [JSONScalar], number: Int) {
        self.cells = cells
        self.number = number
    }

    /// A time without a zone is UTC: most products leave out the `Z`.
    func time(_ column: Int) throws(PayloadError) -> Timestamp {
        guard case .text(let text) = cells[column] else { throw .invalidTime(nil, row: number) }
        guard let time = Timestamp(iso8601: text) else { throw .invalidTime(text, row: number) }
        return time
    }

    /// A number, or a text that holds one; nil when it is absent, or outside `range` and so
    /// counted.
    mutating func number(_ column: Int, in range: ClosedRange<Double>) -> Double? {
        switch cells[column] {
        case .null, .flag:
            return nil
        case .number(let value):
            return accepted(value, in: range)
        case .text(let text):
            return accepted(Double(text), in: range)
        }
    }

    func text(_ column: Int) -> String? {
        if case .text(let text) = cells[column] { text } else { nil }
    }

    /// A truth value, as itself, as 1 or 0, or as a text of either.
    func flag(_ column: Int) -> Bool? {
        switch cells[column] {
        case .flag(let flag): flag
        case .number(let number): [0: false, 1: true][number]
        case .text(let text):
            ["true": true, "false": false, "1": true, "0": false][text.lowercased()]
        case .null: nil
        }
    }

    private mutating func accepted(_ value: Double?, in range: ClosedRange<Double>) -> Double? {
        // NaN is in no range.
        guard let value, range.contains(value) else {
            rejectedNumberCount += 1
            return nil
        }
        return value
    }
}
