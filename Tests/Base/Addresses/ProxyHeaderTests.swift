import Base
import Expectations

/// "The PROXY protocol", versions 1 and 2.
@Suite("PROXY protocol", .timeLimit(.minutes(10)))
struct ProxyHeaderTests {
    static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// Version 2: 192.0.2.1 port 1025 to 192.0.2.9 port 443.
    static let v4Addresses: [UInt8] = [192, 0, 2, 1, 192, 0, 2, 9, 0x04, 0x01, 0x01, 0xBB]
    /// 2001:db8::1 port 1025 to 2001:db8::2 port 443.
    static let v6Addresses: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        + [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [2]
        + [0x04, 0x01, 0x01, 0xBB]

    static func binary(_ command: UInt8, _ family: UInt8, _ rest: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(rest.count >> 8), UInt8(rest.count & 0xFF)] + rest
    }

    static func client(_ address: String, _ port: UInt16) -> ProxySource {
        .client(IPAddress(address)!, port: port)
    }

    static let valid: [(header: [UInt8], source: ProxySource)] = [
        (Array("PROXY TCP4 192.0.2.1 192.0.2.9 1025 443\r\n".utf8), client("192.0.2.1", 1025)),
        (Array("PROXY TCP4 192.0.2.1 192.0.2.9 0 65535\r\n".utf8), client("192.0.2.1", 0)),
        (
            Array("PROXY TCP6 2001:db8::1 2001:db8::2 1025 443\r\n".utf8),
            client("2001:db8::1", 1025)
        ),
        (Array("PROXY TCP6 ::ffff:192.0.2.1 ::1 7 443\r\n".utf8), client("192.0.2.1", 7)),
        (Array("PROXY UNKNOWN\r\n".utf8), .own),
        (Array("PROXY UNKNOWN ff:: and more\r\n".utf8), .own),
        (Array("PROXY UNKNOWN ".utf8) + [UInt8](repeating: 0x78, count: 91) + [13, 10], .own),
        (binary(0x21, 0x11, v4Addresses), client("192.0.2.1", 1025)),
        (binary(0x21, 0x11, v4Addresses + [4, 0, 1, 0]), client("192.0.2.1", 1025)),
        (
            binary(0x21, 0x11, v4Addresses + [UInt8](repeating: 0x0A, count: 4096 - 12)),
            client("192.0.2.1", 1025)
        ),
        (binary(0x21, 0x21, v6Addresses), client("2001:db8::1", 1025)),
        (binary(0x21, 0x31, [UInt8](repeating: 0x2F, count: 216)), .own),
        (binary(0x21, 0x00, []), .own),
        (binary(0x20, 0x00, []), .own),
        (binary(0x20, 0x11, v4Addresses), .own),
        (binary(0x20, 0x00, [3, 0, 4, 1, 2, 3, 4]), .own),
    ]

    static let refused: [(header: [UInt8], error: ProxyHeaderError)] = [
        (Array("GET / HTTP/1.1\r\n".utf8), .notAHeader),
        (Array("PROXX".utf8), .notAHeader),
        (Array("\r\n\r\nGET".utf8), .notAHeader),
        ([0x16, 0x03, 0x01], .notAHeader),
        (Array("PROXY TCP4 192.0.2.1 192.0.2.9 1025 443\n".utf8), .malformedLine),
        (Array("PROXY TCP4 192.0.2.1 192.0.2.9 1025\r\n".utf8), .malformedLine),
        (Array("PROXY TCP4 192.0.2.1 192.0.2.9 1025 443 1\r\n".utf8), .malformedLine),
        (Array("PROXY TCP4 192.0.2.1  192.0.2.9 1025 443\r\n".utf8), .malformedLine),
        (Array("PROXY TCP4 192.0.2.256 192.0.2.9 1025 443\r\n".utf8), .malformedLine),
        (Array("PROXY TCP4 127.1 192.0.2.9 1025 443\r\n".utf8), .malformedLine),
        (Array("PROXY TCP4 192.0.2.1 192.0.2.9 65536 443\r\n".utf8), .malformedLine),
        (Array("PROXY TCP4 192.0.2.1 192.0.2.9 01 443\r\n".utf8), .malformedLine),
        (Array("PROXY TCP4 192.0.2.1 192.0.2.9 +1 443\r\n".utf8), .malformedLine),
        (Array("PROXY TCP6 192.0.2.1 192.0.2.9 1025 443\r\n".utf8), .malformedLine),
        (Array("PROXY TCP4 2001:db8::1 2001:db8::2 1025 443\r\n".utf8), .malformedLine),
        (Array("PROXY UDP4 192.0.2.1 192.0.2.9 1025 443\r\n".utf8), .malformedLine),
        (Array("PROXY \r\n".utf8), .malformedLine),
        (Array("PROXY UNKNOWN ".utf8) + [UInt8](repeating: 0x78, count: 93), .lineTooLong),
        (binary(0x11, 0x11, v4Addresses), .unknownValue(0x11)),
        (binary(0x22, 0x11, v4Addresses), .unknownValue(0x22)),
        (binary(0x21, 0x41, v4Addresses), .unknownValue(0x41)),
        (binary(0x21, 0x13, v4Addresses), .unknownValue(0x13)),
        (binary(0x21, 0x11, [UInt8](repeating: 1, count: 11)), .addressesMissing(length: 11)),
        (binary(0x21, 0x21, [UInt8](repeating: 1, count: 35)), .addressesMissing(length: 35)),
        (binary(0x21, 0x11, [UInt8](repeating: 1, count: 4097)), .tooLong(length: 4097)),
    ]

    /// What comes of pieces, and how many bytes were taken.
    static func read(_ pieces: [ArraySlice<UInt8>]) throws(ProxyHeaderError)
        -> (source: ProxySource?, consumed: Int)
    {
        var parser = ProxyHeaderParser()
        var total = 0
        for piece in pieces {
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: piece.count)
            defer { copy.deallocate() }
            _ = copy.initialize(from: piece)
            var consumed = 0
            let source = try parser.receive(UnsafeBufferPointer(copy), consumed: &consumed)
            total += consumed
            if let source { return (source, total) }
            expectEqual(consumed, piece.count, "all of an unfinished header is taken")
        }
        return (nil, total)
    }

    @Test(arguments: valid)
    func headerIsReadHoweverItIsCut(header: [UInt8], source: ProxySource) throws {
        let bytes = header + Array("GET /".utf8)
        for cut in 0...min(bytes.count, 300) {
            let read = try ProxyHeaderTests.read([bytes[..<cut], bytes[cut...]])
            expectEqual(read.source, source)
            expectEqual(read.consumed, header.count, "nothing behind the header is taken")
        }
        let single = bytes.indices.map { bytes[$0...$0] }
        try expect(ProxyHeaderTests.read(single) == (source, header.count))
    }

    @Test(arguments: valid)
    func unfinishedHeaderIsWaitedFor(header: [UInt8], source: ProxySource) throws {
        for end in 0..<min(header.count, 300) {
            try expectNil(ProxyHeaderTests.read([header[..<end]]).source)
        }
    }

    @Test(arguments: refused)
    func wrongHeaderIsRefusedHoweverItIsCut(header: [UInt8], error: ProxyHeaderError) {
        for cut in 0...min(header.count, 300) {
            #expect(throws: error) {
                try ProxyHeaderTests.read([header[..<cut], header[cut...]])
            }
        }
        #expect(throws: error) { try ProxyHeaderTests.read(header.indices.map { header[$0...$0] }) }
    }
}
