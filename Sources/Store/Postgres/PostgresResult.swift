/// The result of a statement: rows in the binary format, or only their number.
///
/// Not `Sendable`: it belongs to the connection's thread.
package final class PostgresResult {
    private let library: PostgresLibrary
    private let result: PostgresLibrary.Result
    private let types: [UInt32]
    package let rowCount: Int

    init(_ result: PostgresLibrary.Result, _ library: PostgresLibrary) {
        self.library = library
        self.result = result
        rowCount = Int(library.rowCount(result))
        types = (0..<library.columnCount(result)).map { library.columnType(result, $0) }
    }

    deinit { library.clear(result) }

    package var columnCount: Int { types.count }

    /// The number of rows that the statement has inserted, updated, deleted or selected.
    package var changedRows: Int {
        library.commandRows(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The command that was carried out, such as `INSERT 0 1`. A COMMIT of a transaction that has
    /// failed is a `ROLLBACK`.
    package var commandTag: String {
        library.commandTag(result).map { String(cString: $0) } ?? ""
    }

    package func isNull(_ row: Int, _ column: Int) -> Bool {
        library.isNull(result, Int32(row), Int32(column)) != 0
    }

    /// A column of an integer or Boolean type, or of type `numeric` with an integer in it, such as a
    /// sum of integers; nil for NULL.
    package func integer(_ row: Int, _ column: Int) throws(PostgresError) -> Int64? {
        guard let bytes = bytes(row, column) else { return nil }
        switch types[column] {
        case PostgresArguments.TypeID.integer: return bytes.bigEndian(Int64.self)
        case PostgresArguments.TypeID.mediumInteger: return Int64(bytes.bigEndian(Int32.self))
        case PostgresArguments.TypeID.smallInteger: return Int64(bytes.bigEndian(Int16.self))
        case PostgresArguments.TypeID.oid: return Int64(bytes.bigEndian(UInt32.self))
        case PostgresArguments.TypeID.boolean: return bytes[0] == 0 ? 0 : 1
        case PostgresArguments.TypeID.numeric:
            guard let value = bytes.integerOfNumeric else {
                throw unexpected(column, "an integer of 64 bits")
            }
            return value
        default: throw unexpected(column, "an integer")
        }
    }

    /// A column of type `double precision` or of an integer type; nil for NULL.
    package func real(_ row: Int, _ column: Int) throws(PostgresError) -> Double? {
        guard types[column] == PostgresArguments.TypeID.real else {
            return try integer(row, column).map { Double($0) }
        }
        return bytes(row, column).map { Double(bitPattern: $0.bigEndian(UInt64.self)) }
    }

    /// A column of type `text`; nil for NULL.
    package func text(_ row: Int, _ column: Int) throws(PostgresError) -> String? {
        guard types[column] == PostgresArguments.TypeID.text else {
            throw unexpected(column, "a text")
        }
        return bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A column of type `bytea`; nil for NULL.
    package func blob(_ row: Int, _ column: Int) throws(PostgresError) -> [UInt8]? {
        guard types[column] == PostgresArguments.TypeID.bytes else {
            throw unexpected(column, "bytes")
        }
        return bytes(row, column).map { [UInt8]($0) }
    }

    /// The bytes as they were sent, which belong to the result; nil for NULL.
    private func bytes(_ row: Int, _ column: Int) -> UnsafeBufferPointer<UInt8>? {
        guard !isNull(row, column) else { return nil }
        let length = library.length(result, Int32(row), Int32(column))
        return UnsafeBufferPointer(
            start: library.value(result, Int32(row), Int32(column)),
            count: Int(length)
        )
    }

    private func unexpected(_ column: Int, _ expected: String) -> PostgresError {
        PostgresError(
            .unexpected,
            "column \(column) has the type with OID \(types[column]) instead of \(expected)"
        )
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func bigEndian<Value: FixedWidthInteger>(_: Value.Type) -> Value {
        precondition(count == MemoryLayout<Value>.size)
        return Value(bigEndian: UnsafeRawPointer(baseAddress!).loadUnaligned(as: Value.self))
    }

    /// The value of a `numeric`; nil if it is no integer of 64 bits.
    ///
    /// Numbers of 16 bits: how many digits of base 10,000 there are, the power of 10,000 that the
    /// first one counts, the sign, and how many decimals are shown; then the digits (`numeric_send`
    /// in PostgreSQL's source).
    fileprivate var integerOfNumeric: Int64? {
        let words = stride(from: 0, to: count, by: 2).map {
            UInt16(self[$0]) << 8 | UInt16(self[$0 + 1])
        }
        let sign = words[2]
        let isNegative = sign == 0x4000
        guard isNegative || sign == 0 else { return nil }
        let weight = Int(Int16(bitPattern: words[1]))
        let digits = words[4...]
        // Trailing zeros are not sent, so a digit behind the weight is a fraction.
        guard digits.count <= weight + 1 else { return nil }
        var value: Int64 = 0
        for place in 0..<max(0, weight + 1) {
            let digit = place < digits.count ? Int64(digits[digits.startIndex + place]) : 0
            let (product, isTooBig) = value.multipliedReportingOverflow(by: 10_000)
            // Negative all along: there is one more negative value than positive ones.
            let (difference, isTooSmall) = product.subtractingReportingOverflow(digit)
            guard !isTooBig, !isTooSmall else { return nil }
            value = difference
        }
        guard !isNegative else { return value }
        return value == .min ? nil : -value
    }
}
