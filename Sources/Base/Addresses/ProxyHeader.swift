/// Why a header of the PROXY protocol is refused.
package enum ProxyHeaderError: Error, Hashable, Sendable {
    /// The first bytes belong to neither version.
    case notAHeader
    /// A line of version 1 that is not as the specification has it.
    case malformedLine
    /// Version 1: more than 107 bytes without an end of line.
    case lineTooLong
    /// Version 2: not version 2, an unknown command, family or transport.
    case unknownValue(UInt8)
    /// Version 2: too short for the addresses of its family.
    case addressesMissing(length: Int)
    /// Version 2: longer than `ProxyHeaderParser.lengthMax`.
    case tooLong(length: Int)
}

extension ProxyHeaderError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAHeader: "the connection does not begin with a PROXY protocol header"
        case .malformedLine: "the line of PROXY protocol version 1 is malformed"
        case .lineTooLong: "the line of PROXY protocol version 1 has more than 107 bytes"
        case .unknownValue(let byte):
            "PROXY protocol version 2 has the unknown value 0x\(String(byte, radix: 16))"
        case .addressesMissing(let length):
            "PROXY protocol version 2 has \(length) bytes of addresses, too few for its family"
        case .tooLong(let length):
            "PROXY protocol version 2 has \(length) bytes, expected at most"
                + " \(ProxyHeaderParser.lengthMax)"
        }
    }
}

/// Where a connection comes from, as its PROXY protocol header states it.
package enum ProxySource: Hashable, Sendable {
    /// The proxy made the connection itself, such as for a health check, or does not have the
    /// client's address (LOCAL, UNKNOWN, unix sockets): the connection's own address applies.
    case own
    case client(IPAddress, port: UInt16)
}

/// Reads the header that a proxy sends before the bytes of its client: "The PROXY protocol", versions 1 and 2,
/// by Willy Tarreau (haproxy.org/download/2.9/doc/proxy-protocol.txt).
///
/// Takes bytes in pieces of any length, and no byte behind the header. It keeps at most 107 bytes: the
/// extensions (TLVs) of version 2 are skipped. After `.source` or an error it takes no more input.
package struct ProxyHeaderParser: Sendable {
    /// Bytes behind the first 16 of version 2: addresses and extensions. The specification keeps a header
    /// within 536 bytes; client certificates can be longer.
    package static let lengthMax = 4096

    private static let lineLengthMax = 107
    private static let linePrefix = Array("PROXY ".utf8)
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let headLength = 16

    /// The bytes received that are still needed.
    private var bytes: [UInt8] = []
    private var skipping: (left: Int, source: ProxySource)?

    package init() {}

    /// Reads on.
    ///
    /// - Parameter consumed: grows by the bytes that belong to the header.
    /// - Returns: nil when more bytes are needed; then all of `input` was consumed.
    package mutating func receive(
        _ input: UnsafeBufferPointer<UInt8>,
        consumed: inout Int
    ) throws(ProxyHeaderError) -> ProxySource? {
        while consumed < input.count {
            if let (left, source) = skipping {
                let count = min(left, input.count - consumed)
                consumed += count
                skipping = (left - count, source)
                guard count == left else { return nil }
                return source
            }
            bytes.append(input[consumed])
            consumed += 1
            if let source = try advance() { return source }
        }
        return nil
    }

    /// Looks at the byte that was added last.
    private mutating func advance() throws(ProxyHeaderError) -> ProxySource? {
        guard bytes[0] == ProxyHeaderParser.signature[0] else { return try advanceLine() }
        let index = bytes.count - 1
        if index < ProxyHeaderParser.signature.count {
            guard bytes[index] == ProxyHeaderParser.signature[index] else { throw .notAHeader }
            return nil
        }
        guard bytes.count >= ProxyHeaderParser.headLength else { return nil }
        let length = Int(bytes[14]) << 8 | Int(bytes[15])
        let addressLength = try addressLength(length)
        guard bytes.count == ProxyHeaderParser.headLength + addressLength else { return nil }
        let source = source(addressLength)
        guard length > addressLength else { return source }
        skipping = (length - addressLength, source)
        return nil
    }

    // MARK: Version 1

    private func advanceLine() throws(ProxyHeaderError) -> ProxySource? {
        let (prefix, index) = (ProxyHeaderParser.linePrefix, bytes.count - 1)
        if index < prefix.count {
            guard bytes[index] == prefix[index] else { throw .notAHeader }
            return nil
        }
        guard bytes[index] == 0x0A else {
            guard bytes.count < ProxyHeaderParser.lineLengthMax else { throw .lineTooLong }
            return nil
        }
        guard bytes[index - 1] == 0x0D else { throw .malformedLine }
        let line = bytes[prefix.count..<(index - 1)]
        guard let source = ProxyHeaderParser.source(ofLine: line) else { throw .malformedLine }
        return source
    }

    /// `TCP4 192.0.2.1 192.0.2.2 56324 443`, `TCP6 …`, or `UNKNOWN` and anything.
    private static func source(ofLine line: ArraySlice<UInt8>) -> ProxySource? {
        guard let text = String(validating: line, as: UTF8.self) else { return nil }
        if text == "UNKNOWN" || text.hasPrefix("UNKNOWN ") { return .own }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 5, let source = IPAddress(parts[1]),
            let destination = IPAddress(parts[2]), let port = portNumber(parts[3]),
            portNumber(parts[4]) != nil
        else { return nil }
        switch (parts[0], source, destination) {
        case ("TCP4", .v4, .v4), ("TCP6", .v6, .v6):
            return .client(source.unmapped, port: port)
        default: return nil
        }
    }

    /// "a decimal integer in the range [0..65535]", without leading zeros.
    private static func portNumber(_ text: Substring) -> UInt16? {
        guard text == "0" || !text.hasPrefix("0"),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return UInt16(text)
    }

    // MARK: Version 2

    /// Returns the number of bytes after the head that are relevant addresses.
    private func addressLength(_ length: Int) throws(ProxyHeaderError) -> Int {
        let (command, family) = (bytes[12], bytes[13])
        guard length <= ProxyHeaderParser.lengthMax else { throw .tooLong(length: length) }
        guard command == 0x20 || command == 0x21 else { throw .unknownValue(command) }
        // "other values are unspecified and must … be rejected as invalid by receivers".
        guard family >> 4 <= 3, family & 0xF <= 2 else { throw .unknownValue(family) }
        // LOCAL: "the receiver … must use the real connection endpoints and must discard the protocol block".
        guard command == 0x21 else { return 0 }
        let needed =
            switch family {
            case 0x11: 12
            case 0x21: 36
            default: 0
            }
        guard length >= needed else { throw .addressesMissing(length: length) }
        return needed
    }

    /// Source and destination address, then their ports.
    private func source(_ addressLength: Int) -> ProxySource {
        let addressBytes = (addressLength - 4) / 2
        guard addressLength > 0 else { return .own }
        let start = ProxyHeaderParser.headLength
        let address = bytes[start..<(start + addressBytes)].withUnsafeBytes(IPAddress.init(bytes:))
        let portAt = start + 2 * addressBytes
        guard let address else { return .own }
        return .client(
            address.unmapped,
            port: UInt16(bytes[portAt]) << 8 | UInt16(bytes[portAt + 1])
        )
    }
}
