import Glibc

/// An IPv4 or IPv6 address in the text of a URL or of `no_proxy`.
struct AddressLiteral: Hashable, Sendable {
    /// An IPv4 address is in the block of the IPv4-mapped addresses, `::ffff:0:0/96` (RFC 4291
    /// §2.5.5.2), so that both notations have the same bits.
    private let bits: UInt128
    /// Whether the address was written as an IPv6 address.
    let isIPv6Text: Bool

    private static let mappedPrefixLength = 96
    private static let mappedPrefix: UInt128 = 0xFFFF << 32

    /// Parses four decimal numbers, or the form of RFC 4291 §2.2 without brackets and zone; nil for
    /// everything else.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.contains(0) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            bits = Self.mappedPrefix | UInt128(UInt32(bigEndian: v4.s_addr))
            isIPv6Text = false
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bits = withUnsafeBytes(of: v6) { bytes in bytes.reduce(0) { $0 << 8 | UInt128($1) } }
            isIPv6Text = true
        } else {
            return nil
        }
    }

    init?(_ text: String) {
        self.init(Array(text.utf8)[...])
    }

    /// The address in its usual form; for IPv6 that is RFC 5952's.
    var text: String {
        guard isIPv6Text else {
            return [24, 16, 8, 0].map { String(bits >> $0 & 0xFF) }.joined(separator: ".")
        }
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) { bytes in
            for index in bytes.indices {
                bytes[index] = UInt8(truncatingIfNeeded: bits >> (8 * (bytes.count - 1 - index)))
            }
        }
        return withUnsafeTemporaryAllocation(
            of: CChar.self,
            capacity: Int(INET6_ADDRSTRLEN)
        ) { buffer in
            let capacity = socklen_t(buffer.count)
            let text = inet_ntop(AF_INET6, &address, buffer.baseAddress, capacity)
            guard let text else { preconditionFailure("an address has a text") }
            return String(cString: text)
        }
    }

    private var isIPv4: Bool { bits & ~UInt128(UInt32.max) == Self.mappedPrefix }

    /// 127.0.0.0/8 (RFC 1122 §3.2.1.3) and ::1 (RFC 4291 §2.5.3).
    var isLoopback: Bool { isIPv4 ? bits >> 24 & 0xFF == 127 : bits == 1 }

    /// Whether the first `prefixLength` bits are those of `network`.
    ///
    /// - Parameter prefixLength: In the form of `network`'s text, so at most 32 for IPv4.
    func isInBlock(_ network: AddressLiteral, prefixLength: Int) -> Bool {
        let length = prefixLength + (network.isIPv6Text ? 0 : Self.mappedPrefixLength)
        // A short IPv6 prefix such as ::/0 would contain the mapped addresses, so all of IPv4.
        guard isIPv4 == network.isIPv4 else { return false }
        return (bits ^ network.bits) >> (UInt128.bitWidth - length) == 0
    }

    /// The length of the longest prefix, in the form of the address's text.
    var bitWidth: Int { isIPv6Text ? 128 : 32 }
}
