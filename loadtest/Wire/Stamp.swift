/// The mark by which a message of this run is recognised inside any envelope, and its place in the
/// order: `vl`, eight hexadecimal digits of the run, eight of the sequence number.
///
/// It is found by searching the bytes of a frame, so that no server's envelope has to be known. A text that
/// stands in for a payload is a JSON string: the stamp, padding, and the quotes around them.
struct Stamp: Sendable {
    /// In bytes.
    static let length = 18
    /// The shortest payload: a stamp in quotes.
    static let payloadLengthMin = length + 2

    private static let digitCount = 8
    private static let digits = Array("0123456789abcdef".utf8)
    private let needle: [UInt8]

    init(run: UInt32) {
        var bytes = Array("vl".utf8)
        Stamp.append(run, to: &bytes)
        needle = bytes
    }

    /// Appends a payload of `length` bytes with the given sequence number.
    func appendPayload(sequence: UInt32, length: Int, to output: inout [UInt8]) {
        precondition(length >= Stamp.payloadLengthMin)
        output.append(UInt8(ascii: "\""))
        output.append(contentsOf: needle)
        Stamp.append(sequence, to: &output)
        let padding = length - Stamp.payloadLengthMin
        output.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: padding))
        output.append(UInt8(ascii: "\""))
    }

    /// The sequence number of the first stamp at or behind `position`, which is advanced past it; nil
    /// when there is none.
    func next(in bytes: UnsafeRawBufferPointer, from position: inout Int) -> UInt32? {
        while let start = bytes.firstIndex(of: needle, from: position) {
            position = start + needle.count
            guard let sequence = Stamp.number(bytes, at: position) else { continue }
            position += Stamp.digitCount
            return sequence
        }
        position = bytes.count
        return nil
    }

    private static func append(_ number: UInt32, to output: inout [UInt8]) {
        for index in (0..<digitCount).reversed() {
            output.append(digits[Int(number >> UInt32(4 * index) & 0xF)])
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt32? {
        guard bytes.count - start >= digitCount else { return nil }
        var number: UInt32 = 0
        for byte in bytes[start..<start + digitCount] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt32(byte - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt32(byte - 87)
            default: return nil
            }
        }
        return number
    }
}
