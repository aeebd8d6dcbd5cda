import Glibc

/// An address of the Internet Protocol, as a number.
package enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(UInt128)

    /// Reads the one usual text of an address: four decimal numbers without leading zeros, or the form of
    /// RFC 4291 §2.2 without brackets and zone. Nil for everything else, such as `127.1` or `0x7f000001`,
    /// which some resolvers take for addresses.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        guard !text.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self = .v4(UInt32(bigEndian: v4.s_addr))
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self = .v6(withUnsafeBytes(of: v6) { UInt128(bigEndianBytes: $0) })
        } else {
            return nil
        }
    }

    /// - Parameter bytes: in network order; nil unless there are 4 or 16.
    package init?(bytes: UnsafeRawBufferPointer) {
        switch bytes.count {
        case 4: self = .v4(UInt32(truncatingIfNeeded: UInt128(bigEndianBytes: bytes)))
        case 16: self = .v6(UInt128(bigEndianBytes: bytes))
        default: return nil
        }
    }

    /// The IPv4 address itself when this is one in the clothes of IPv6: RFC 4291 §2.5.5.2.
    var unmapped: IPAddress {
        guard case .v6(let bits) = self, bits >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: bits))
    }
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .v4(let bits):
            return [24, 16, 8, 0].map { String(bits >> $0 & 0xFF) }.joined(separator: ".")
        case .v6(let bits):
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) { bytes in
                for index in 0..<16 {
                    bytes[index] = UInt8(truncatingIfNeeded: bits >> (120 - 8 * UInt128(index)))
                }
            }
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let isWritten = inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil
            precondition(isWritten, "an address has a text")
            return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        }
    }
}

extension UInt128 {
    fileprivate init(bigEndianBytes bytes: UnsafeRawBufferPointer) {
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}

/// Addresses with a common beginning, in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`.
package struct AddressBlock: Hashable, Sendable {
    private let first: IPAddress
    private let prefixLength: Int

    /// Nil without a `/`, for a length beyond the address's, and for bits set behind the prefix: `10.0.0.1/8`
    /// is more likely a mistake than a block.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(parts[0]),
            (1...3).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(parts[1])
        else { return nil }
        switch address {
        case .v4(let bits):
            guard length <= 32, length == 32 || bits << length == 0 else { return nil }
        case .v6(let bits):
            guard length <= 128, length == 128 || bits << length == 0 else { return nil }
        }
        first = address
        prefixLength = length
    }

    /// A block that is written in our own source.
    init(trusted text: String) {
        guard let block = AddressBlock(text) else { preconditionFailure("\(text) is no block") }
        self = block
    }

    package func contains(_ address: IPAddress) -> Bool {
        switch (first, address) {
        case (.v4(let first), .v4(let address)):
            prefixLength == 0 || (first ^ address) >> (32 - prefixLength) == 0
        case (.v6(let first), .v6(let address)):
            prefixLength == 0 || (first ^ address) >> (128 - prefixLength) == 0
        case (.v4, .v6), (.v6, .v4): false
        }
    }
}

extension AddressBlock: CustomStringConvertible {
    package var description: String { "\(first)/\(prefixLength)" }
}
