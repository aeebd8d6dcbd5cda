// Addresses: addresses of the Internet Protocol, blocks of them, and the address of a client behind a proxy.

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
    package var unmapped: IPAddress {
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
