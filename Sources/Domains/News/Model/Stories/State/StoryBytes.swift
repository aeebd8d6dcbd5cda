/// Writes numbers, texts and lists: integers as 8 bytes, little-endian, with lengths before values
/// of variable length.
struct StoryBytesWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func write(_ value: Int) { write(UInt64(bitPattern: Int64(value))) }

    mutating func write(_ value: Double) { write(value.bitPattern) }

    mutating func write(_ value: Timestamp) { write(UInt64(bitPattern: value.milliseconds)) }

    mutating func write(_ value: String) {
        write(value.utf8.count)
        bytes += value.utf8
    }

    mutating func write(_ vector: TermVector) {
        write(vector.count)
        for term in vector.terms { write(term) }
        for weight in vector.weights { write(weight) }
    }
}

/// Reads the output of `StoryBytesWriter`. Every method returns nil for bytes that end too early or
/// are not such a value.
struct StoryBytesReader {
    /// More articles and stories than there can be; sums of such counts do not overflow.
    static let countMax = 1 << 48

    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func number() -> UInt64? {
        guard bytes.count >= 8 else { return nil }
        var value: UInt64 = 0
        for (index, byte) in bytes.prefix(8).enumerated() { value |= UInt64(byte) << (8 * index) }
        bytes.removeFirst(8)
        return value
    }

    mutating func integer() -> Int? { number().map { Int(truncatingIfNeeded: $0) } }

    /// A number of values that have at least `size` bytes each. More than the bytes have room for
    /// is refused, so that nothing is reserved for it.
    mutating func count(size: Int) -> Int? {
        guard let count = integer(), count >= 0, count <= bytes.count / size else { return nil }
        return count
    }

    /// Finite and above 0.
    mutating func weight() -> Double? {
        guard let weight = number().map(Double.init(bitPattern:)), weight.isFinite, weight > 0
        else { return nil }
        return weight
    }

    mutating func timestamp() -> Timestamp? {
        number().map { Timestamp(milliseconds: Int64(bitPattern: $0)) }
    }

    mutating func text() -> String? {
        guard let count = count(size: 1),
            let text = String(validating: bytes.prefix(count), as: UTF8.self)
        else { return nil }
        bytes.removeFirst(count)
        return text
    }

    mutating func vector() -> TermVector? {
        guard let count = count(size: 16) else { return nil }
        var terms: [UInt64] = []
        for _ in 0..<count {
            guard let term = number(), terms.last.map({ $0 < term }) ?? true else { return nil }
            terms.append(term)
        }
        var weights: [Double] = []
        for _ in 0..<count {
            guard let weight = weight() else { return nil }
            weights.append(weight)
        }
        return TermVector(terms: terms, weights: weights)
    }
}
