/// A publication as its difference from the one before, in the delta format of Fossil.
///
/// A delta is the length of the target and a line feed, then commands, the last of which is the
/// checksum:
///
/// | command | does |
/// | --- | --- |
/// | `length@offset,` | copies that many bytes of the origin |
/// | `length:` and that many bytes | inserts them |
/// | `checksum;` | ends the delta |
///
/// Numbers are of 32 bits, in digits of base 64: `0-9`, `A-Z`, `_`, `a-z`, `~`.
///
/// `encode` is for deltas that we send. `apply` reads any, of whatever origin.
///
/// Source: fossil-scm.org, "Fossil Delta Format".
package enum FossilDelta {
    /// The target of a delta.
    ///
    /// Stricter than Fossil's own reader, which takes a number without digits for 0 and ignores
    /// bytes after the checksum.
    ///
    /// - Parameter lengthMax: of the target in bytes. A delta of a few bytes can ask for any length.
    /// - Complexity: O(delta + target).
    package static func apply(
        _ delta: [UInt8],
        to origin: [UInt8],
        lengthMax: Int
    ) throws(FossilDeltaError) -> [UInt8] {
        var reader = FossilDeltaReader(delta[...])
        let length = Int(try reader.number())
        try reader.expect(lineFeed)
        guard length <= lengthMax else { throw .targetTooLong(length: length, limit: lengthMax) }
        var target: [UInt8] = []
        // A delta that lies about its length gets no more memory than one that does not.
        target.reserveCapacity(min(length, origin.count + delta.count))
        while true {
            let number = try reader.number()
            let command = try reader.byte()
            switch command {
            case copyMark:
                let offset = Int(try reader.number())
                try reader.expect(copyEnd)
                guard offset + Int(number) <= origin.count else { throw .copyBeyondOrigin }
                target += origin[offset..<offset + Int(number)]
            case insertMark:
                target += try reader.bytes(Int(number))
            case checksumMark:
                guard target.count == length else { throw .lengthDiffers }
                guard checksum(target) == number else { throw .checksumDiffers }
                guard reader.isAtEnd else { throw .bytesBehindEnd }
                return target
            default:
                throw .unknownCommand(command)
            }
            guard target.count <= length else { throw .lengthDiffers }
        }
    }

    static let lineFeed = UInt8(ascii: "\n")
    static let copyMark = UInt8(ascii: "@")
    static let copyEnd = UInt8(ascii: ",")
    static let insertMark = UInt8(ascii: ":")
    static let checksumMark = UInt8(ascii: ";")

    static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~".utf8
    )

    /// The sum of the bytes as numbers of 32 bits, big-endian, modulo 2^32; the last one is filled
    /// up with zeros.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0
        let wholeCount = bytes.count & ~3
        for index in stride(from: 0, to: wholeCount, by: 4) {
            let word = bytes.span.bytes.unsafeLoadUnaligned(
                fromByteOffset: index,
                as: UInt32.self
            )
            sum &+= UInt32(bigEndian: word)
        }
        for (index, byte) in bytes[wholeCount...].enumerated() {
            sum &+= UInt32(byte) << (24 - 8 * UInt32(index))
        }
        return sum
    }
}

/// Reads the parts of a delta, from its begin.
private struct FossilDeltaReader {
    /// By the byte of the digit; nil for other bytes.
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in FossilDelta.digits.enumerated() {
            values[Int(digit)] = UInt8(value)
        }
        return values
    }()

    private var rest: ArraySlice<UInt8>

    init(_ delta: ArraySlice<UInt8>) {
        rest = delta
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() throws(FossilDeltaError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .truncated }
        return byte
    }

    mutating func bytes(_ count: Int) throws(FossilDeltaError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .truncated }
        defer { rest.removeFirst(count) }
        return rest.prefix(count)
    }

    mutating func expect(_ expected: UInt8) throws(FossilDeltaError) {
        let byte = try byte()
        guard byte == expected else { throw .unexpectedByte(byte, expected: expected) }
    }

    mutating func number() throws(FossilDeltaError) -> UInt32 {
        var number: UInt32 = 0
        var hasDigits = false
        while let byte = rest.first, let digit = Self.values[Int(byte)] {
            guard number <= UInt32.max >> 6 else { throw .numberTooLarge }
            number = number << 6 | UInt32(digit)
            hasDigits = true
            rest.removeFirst()
        }
        guard !rest.isEmpty else { throw .truncated }
        guard hasDigits else { throw .numberMissing }
        return number
    }
}

/// Why bytes are not a delta from an origin.
package enum FossilDeltaError: Error, Equatable, CustomStringConvertible {
    case truncated
    case numberMissing
    case numberTooLarge
    case unexpectedByte(UInt8, expected: UInt8)
    case unknownCommand(UInt8)
    case targetTooLong(length: Int, limit: Int)
    case copyBeyondOrigin
    case lengthDiffers
    case checksumDiffers
    case bytesBehindEnd

    package var description: String {
        switch self {
        case .truncated: "delta ends early"
        case .numberMissing: "delta has no number where one was expected"
        case .numberTooLarge: "delta has a number of more than 32 bits"
        case .unexpectedByte(let byte, let expected): "delta has byte \(byte), not \(expected)"
        case .unknownCommand(let byte): "delta has the unknown command \(byte)"
        case .targetTooLong(let length, let limit): "target length \(length) over limit \(limit)"
        case .copyBeyondOrigin: "delta copies from beyond the end of its origin"
        case .lengthDiffers: "the target does not have the length in the delta"
        case .checksumDiffers: "the target does not have the checksum in the delta"
        case .bytesBehindEnd: "delta has bytes behind its checksum"
        }
    }
}
