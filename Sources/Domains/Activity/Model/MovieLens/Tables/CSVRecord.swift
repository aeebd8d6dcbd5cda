/// The fields of one line of a table, as bytes.
package struct CSVRecord: Sendable, Equatable {
    /// Where it begins, counted from 1.
    package private(set) var line = 0
    /// The fields, one behind the other: a record is two allocations however many fields it has.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// The number of fields that have ended.
    package var count: Int { ends.count }

    package subscript(index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    // MARK: For the reader

    var openFieldLength: Int { bytes.count - (ends.last ?? 0) }

    func openFieldEnds(with byte: UInt8) -> Bool {
        openFieldLength > 0 && bytes[bytes.count - 1] == byte
    }

    mutating func begin(line: Int) {
        self.line = line
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func removeLast() {
        bytes.removeLast()
    }

    mutating func endField() {
        ends.append(bytes.count)
    }
}
