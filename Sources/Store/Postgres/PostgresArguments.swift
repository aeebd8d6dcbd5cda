/// The arguments of one statement, as the binary formats of PostgreSQL's types have them.
///
/// All bytes are in one buffer, so that a statement costs two allocations and not two for each
/// argument.
package struct PostgresArguments: Sendable, Equatable {
    /// The types that arguments have, by their object identifiers (`pg_type.dat`).
    enum TypeID {
        static let unknown: UInt32 = 0
        static let boolean: UInt32 = 16
        static let bytes: UInt32 = 17
        static let integer: UInt32 = 20
        static let smallInteger: UInt32 = 21
        static let mediumInteger: UInt32 = 23
        static let text: UInt32 = 25
        static let oid: UInt32 = 26
        static let real: UInt32 = 701
        static let bytesArray: UInt32 = 1001
        static let textArray: UInt32 = 1009
        static let integerArray: UInt32 = 1016
        static let numeric: UInt32 = 1700
    }

    private(set) var types: [UInt32] = []
    /// Of each argument, where its bytes begin; nil for NULL.
    private(set) var starts: [Int?] = []
    private(set) var lengths: [Int32] = []
    private(set) var buffer: [UInt8] = []

    package init() {}

    package var count: Int { types.count }

    /// The length of their values in bytes.
    package var byteCount: Int { buffer.count }

    /// Adds a NULL, whose type the server infers.
    package mutating func appendNull() {
        types.append(TypeID.unknown)
        starts.append(nil)
        lengths.append(0)
    }

    /// Adds a `bigint`.
    package mutating func append(_ value: Int64) {
        add(TypeID.integer) { $0.appendBigEndian(value) }
    }

    /// Adds a `double precision`.
    package mutating func append(_ value: Double) {
        add(TypeID.real) { $0.appendBigEndian(value.bitPattern) }
    }

    /// Adds a `text`. The server refuses one with a NUL (SQLSTATE 22021).
    package mutating func append(_ value: String) {
        add(TypeID.text) { $0.append(contentsOf: value.utf8) }
    }

    /// Adds a `bytea`.
    package mutating func append(_ value: [UInt8]) {
        add(TypeID.bytes) { $0.append(contentsOf: value) }
    }

    /// Adds a `bigint[]`.
    package mutating func append(_ values: [Int64?]) {
        addArray(TypeID.integerArray, of: TypeID.integer, values) { buffer, value in
            buffer.appendBigEndian(value)
        }
    }

    /// Adds a `bytea[]`.
    package mutating func append(_ values: [[UInt8]?]) {
        addArray(TypeID.bytesArray, of: TypeID.bytes, values) { buffer, value in
            buffer.append(contentsOf: value)
        }
    }

    /// Adds a `text[]`.
    package mutating func append(_ values: [String?]) {
        addArray(TypeID.textArray, of: TypeID.text, values) { buffer, value in
            buffer.append(contentsOf: value.utf8)
        }
    }

    private mutating func add(_ type: UInt32, _ write: (inout [UInt8]) -> Void) {
        let start = buffer.count
        write(&buffer)
        types.append(type)
        starts.append(start)
        lengths.append(Int32(buffer.count - start))
    }

    /// An array of one dimension: how many dimensions, whether any element is NULL, the element's
    /// type, the count and the first index; then of each element its length, -1 for NULL, and its
    /// bytes (`array_recv`).
    private mutating func addArray<Element>(
        _ type: UInt32,
        of elementType: UInt32,
        _ elements: [Element?],
        _ write: (inout [UInt8], Element) -> Void
    ) {
        add(type) { buffer in
            buffer.appendBigEndian(Int32(elements.isEmpty ? 0 : 1))
            buffer.appendBigEndian(Int32(elements.contains { $0 == nil } ? 1 : 0))
            buffer.appendBigEndian(elementType)
            guard !elements.isEmpty else { return }
            buffer.appendBigEndian(Int32(elements.count))
            buffer.appendBigEndian(Int32(1))
            for element in elements {
                guard let element else {
                    buffer.appendBigEndian(Int32(-1))
                    continue
                }
                let place = buffer.count
                buffer.appendBigEndian(Int32(0))
                write(&buffer, element)
                let length = Int32(buffer.count - place - 4)
                withUnsafeBytes(of: length.bigEndian) { bytes in
                    for (index, byte) in bytes.enumerated() { buffer[place + index] = byte }
                }
            }
        }
    }
}

extension [UInt8] {
    mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
