/// The types of columns that `COPY` can take and return here, with their binary formats.
package enum PostgresColumnType: Sendable, Equatable {
    case integer
    case mediumInteger
    case smallInteger
    case real
    case text
    case bytes

    /// - Parameter oid: the type's object identifier. Nil for any other type.
    package init?(oid: Int64) {
        switch UInt32(exactly: oid) {
        case PostgresArguments.TypeID.integer: self = .integer
        case PostgresArguments.TypeID.mediumInteger: self = .mediumInteger
        case PostgresArguments.TypeID.smallInteger: self = .smallInteger
        case PostgresArguments.TypeID.real: self = .real
        case PostgresArguments.TypeID.text: self = .text
        case PostgresArguments.TypeID.bytes: self = .bytes
        default: return nil
        }
    }
}

/// Writes rows in the binary format of `COPY` (PostgreSQL, "COPY", Binary Format): a header; for
/// each row the number of its fields, and for each field its length, −1 for NULL, and its bytes;
/// and a trailer.
package struct PostgresCopyWriter {
    private static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]
    fileprivate static let headerLength = signature.count + 8

    /// The bytes that were not sent yet.
    package private(set) var buffer: [UInt8] = []

    package init() {
        buffer += Self.signature
        // No flags, and no extension of the header.
        buffer.appendBigEndian(Int64(0))
    }

    package mutating func beginRow(fields: Int) { buffer.appendBigEndian(Int16(fields)) }

    package mutating func appendNull() { buffer.appendBigEndian(Int32(-1)) }

    /// - Returns: false if the number is outside the range of the type, or the type is not one of
    ///   integers.
    package mutating func append(_ value: Int64, as type: PostgresColumnType) -> Bool {
        switch type {
        case .integer: return append(number: value)
        case .mediumInteger: return append(number: Int32(exactly: value))
        case .smallInteger: return append(number: Int16(exactly: value))
        case .real, .text, .bytes: return false
        }
    }

    private mutating func append<Number: FixedWidthInteger>(number: Number?) -> Bool {
        guard let number else { return false }
        buffer.appendBigEndian(Int32(MemoryLayout<Number>.size))
        buffer.appendBigEndian(number)
        return true
    }

    package mutating func append(_ value: Double) { _ = append(number: value.bitPattern) }

    /// Appends the bytes of a `text` or a `bytea`.
    package mutating func append(_ bytes: [UInt8]) {
        buffer.appendBigEndian(Int32(bytes.count))
        buffer += bytes
    }

    package mutating func end() { buffer.appendBigEndian(Int16(-1)) }

    /// Forgets the bytes, which were sent.
    package mutating func clear() { buffer.removeAll(keepingCapacity: true) }
}

/// Reads rows in the binary format of `COPY`.
package struct PostgresCopyReader {
    private var hasHeader = false
    private var fields: [UnsafeRawBufferPointer?] = []

    package init() {}

    /// Calls `body` with the fields of each row, nil for NULL. They are valid only during the call.
    ///
    /// - Parameter bytes: a part of what the server sends, which ends behind a row.
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (_ fields: [UnsafeRawBufferPointer?]) throws -> Void
    ) throws {
        var rest = Rest(bytes: bytes)
        if !hasHeader {
            try rest.skip(PostgresCopyWriter.headerLength - 4)
            try rest.skip(Int(try rest.number(Int32.self)))
            hasHeader = true
        }
        while !rest.isEmpty {
            let count = try rest.number(Int16.self)
            // The trailer.
            guard count >= 0 else { return }
            fields.removeAll(keepingCapacity: true)
            for _ in 0..<count {
                let length = try rest.number(Int32.self)
                fields.append(length < 0 ? nil : try rest.take(Int(length)))
            }
            try body(fields)
        }
    }

    private struct Rest {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var isEmpty: Bool { position >= bytes.count }

        mutating func take(_ count: Int) throws(PostgresError) -> UnsafeRawBufferPointer {
            guard count >= 0, count <= bytes.count - position else {
                throw PostgresError(.unexpected, "a row of COPY ends before its last field")
            }
            defer { position += count }
            return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        }

        mutating func skip(_ count: Int) throws(PostgresError) { _ = try take(count) }

        mutating func number<Number: FixedWidthInteger>(
            _: Number.Type
        ) throws(PostgresError) -> Number {
            let field = try take(MemoryLayout<Number>.size)
            return Number(bigEndian: field.loadUnaligned(as: Number.self))
        }
    }
}

/// The values of a field in the binary format.
extension UnsafeRawBufferPointer {
    /// - Returns: nil if the field has not the length of the type.
    package func integer(as type: PostgresColumnType) -> Int64? {
        switch type {
        case .integer: number(Int64.self)
        case .mediumInteger: number(Int32.self).map { Int64($0) }
        case .smallInteger: number(Int16.self).map { Int64($0) }
        case .real, .text, .bytes: nil
        }
    }

    /// - Returns: nil if the field has not the length of a `double precision`.
    package var real: Double? { number(UInt64.self).map { Double(bitPattern: $0) } }

    private func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        guard count == MemoryLayout<Number>.size else { return nil }
        return Number(bigEndian: loadUnaligned(as: Number.self))
    }
}
