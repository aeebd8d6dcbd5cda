/// Why the body that an upstream sent is not the product that was asked for.
///
/// A single bad number never makes this error: it counts in `PayloadNotes` and is missing.
package enum PayloadError: Error, Equatable, CustomStringConvertible {
    case empty
    case tooLarge(byteCount: Int, byteCountMax: Int)
    /// A maintenance page with status 200, for instance.
    case notJSON(firstByte: UInt8)
    /// The same for a product that is a table of text.
    case notTable(firstByte: UInt8)
    case truncated(offset: Int)
    case unexpected(byte: UInt8, offset: Int, wanted: String)
    case nestedTooDeep(offset: Int)
    case noRows
    case tooManyRows(countMax: Int)
    case missingField(String)
    /// A row of a product with a header row; rows count from 1, after the header.
    case wrongColumnCount(row: Int, found: Int, wanted: Int)
    case invalidTime(String?, row: Int)
    /// Every row lacks its value, or is of a source that may not be used.
    case noUsableRows(String)
    /// Every time is later than the caller's `now` allows: one of the two clocks is wrong.
    case onlyFutureTimes(rowCount: Int)
    case invalidGrid(String)

    package var description: String {
        switch self {
        case .empty:
            "body is empty"
        case .tooLarge(let byteCount, let byteCountMax):
            "body of \(byteCount) bytes over limit \(byteCountMax)"
        case .notJSON(let byte):
            "not JSON: starts with \(Self.name(of: byte))"
        case .notTable(let byte):
            "not a table: starts with \(Self.name(of: byte))"
        case .truncated(let offset):
            "truncated at offset \(offset)"
        case .unexpected(let byte, let offset, let wanted):
            "\(Self.name(of: byte)) at offset \(offset), wanted \(wanted)"
        case .nestedTooDeep(let offset):
            "nested deeper than \(AuroraLimits.nestingMax) at offset \(offset)"
        case .noRows:
            "no rows"
        case .tooManyRows(let countMax):
            "more rows than \(countMax)"
        case .missingField(let name):
            "no row has the field \(name)"
        case .wrongColumnCount(let row, let found, let wanted):
            "row \(row) has \(found) of \(wanted) columns"
        case .invalidTime(let text, let row):
            "row \(row) has the time \(text.map { "'\(Self.excerpt($0))'" } ?? "null")"
        case .noUsableRows(let reason):
            "no usable row: \(reason)"
        case .onlyFutureTimes(let rowCount):
            "all times of \(rowCount) rows are in the future"
        case .invalidGrid(let reason):
            "grid: \(reason)"
        }
    }

    /// An upstream's text, short, and with nothing that could forge a log line.
    private static func excerpt(_ text: String) -> String {
        let lengthMax = 40
        let visible = text.unicodeScalars.prefix(lengthMax).map { scalar in
            (0x20...0x7E).contains(scalar.value) ? String(scalar) : "?"
        }
        return visible.joined()
    }

    private static func name(of byte: UInt8) -> String {
        (0x20...0x7E).contains(byte)
            ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x\(String(byte, radix: 16))"
    }
}

/// The parts that a decoder skipped without failing: counts for metrics.
package struct PayloadNotes: Hashable, Sendable {
    /// Bare `NaN` and `Infinity`, which are not JSON, and numbers too large for a Double; read as
    /// null.
    package var nonFiniteCount = 0
    /// Numbers outside their physical range and texts that are no number; taken as missing.
    package var rejectedNumberCount = 0
    /// Rows later than `now` plus `AuroraLimits.clockSkewMax`; left out.
    package var futureRowCount = 0

    /// True when the body was JSON only after a repair.
    package var isRepaired: Bool { nonFiniteCount > 0 }

    package init() {}
}
