/// Decides which addresses and ports the hub calls on behalf of others.
///
/// A caller that can configure a URL must not reach through the hub the addresses that only the hub
/// can reach: its own machine, its network, the metadata service of its cloud. So the address is
/// checked, not the name, and the connection is made to the checked address.
///
/// An IPv6 address is refused unless it is global unicast (2000::/3) and in none of the blocks below. One
/// that carries an IPv4 address is judged by that one: mapped (::ffff:0:0/96) and NAT64 (64:ff9b::/96),
/// through which a network without IPv4 reaches public receivers. Tunnels that lead to an IPv4 address on
/// the way (6to4, Teredo) and NAT64 with a prefix of the network's own are refused whatever they carry.
///
/// Sources: IANA's registries of special-purpose addresses; RFC 6890, 6052, 8215, 3056, 4380.
package struct AddressGuard: Sendable, Equatable {
    /// The addresses that the operator allows in addition to the rules.
    package let allowed: [AddressBlock]
    /// Nil allows every port.
    package let ports: Set<Int>?

    package static let portsDefault: Set<Int> = [80, 443, 8080, 8443]

    package init(allowed: [AddressBlock] = [], ports: Set<Int>? = portsDefault) {
        self.allowed = allowed
        self.ports = ports
    }

    /// Why an address is not called; nil for one that may be.
    package func refusal(of address: IPAddress) -> AddressRefusal? {
        let address = address.unmapped
        if allowed.contains(where: { $0.contains(address) }) { return nil }
        switch address {
        case .v4: return AddressGuard.refusal(of: address, among: AddressGuard.inside)
        case .v6(let bits):
            if AddressGuard.translated.contains(address) {
                // The operator's exceptions apply to the address that is reached in the end.
                return refusal(of: .v4(UInt32(truncatingIfNeeded: bits)))
            }
            if let refusal = AddressGuard.refusal(of: address, among: AddressGuard.insideV6) {
                return refusal
            }
            return AddressGuard.globalUnicast.contains(address)
                ? nil : AddressRefusal(address: address, reason: "not global unicast")
        }
    }

    package func allows(port: Int) -> Bool { ports?.contains(port) ?? true }

    private static func refusal(of address: IPAddress, among blocks: [Block]) -> AddressRefusal? {
        blocks.first { $0.block.contains(address) }
            .map { AddressRefusal(address: address, reason: $0.name) }
    }

    private struct Block: Sendable {
        let block: AddressBlock
        let name: String

        init(_ block: String, _ name: String) {
            self.block = AddressBlock(trusted: block)
            self.name = name
        }
    }

    private static let inside = [
        Block("0.0.0.0/8", "this network"),
        Block("10.0.0.0/8", "private"),
        Block("100.64.0.0/10", "shared between carriers' customers"),
        Block("127.0.0.0/8", "loopback"),
        // Includes 169.254.169.254: the metadata service of clouds, with the machine's credentials.
        Block("169.254.0.0/16", "link-local"),
        Block("172.16.0.0/12", "private"),
        Block("192.0.0.0/24", "protocol assignments"),
        Block("192.0.2.0/24", "documentation"),
        Block("192.31.196.0/24", "AS112"),
        Block("192.52.193.0/24", "multicast tunnels"),
        Block("192.88.99.0/24", "6to4 relays"),
        Block("192.168.0.0/16", "private"),
        Block("192.175.48.0/24", "AS112"),
        Block("198.18.0.0/15", "benchmarks"),
        Block("198.51.100.0/24", "documentation"),
        Block("203.0.113.0/24", "documentation"),
        Block("224.0.0.0/4", "multicast"),
        Block("255.255.255.255/32", "broadcast"),
        Block("240.0.0.0/4", "reserved"),
        // The metadata service of a cloud that has it at a public address.
        Block("168.63.129.16/32", "metadata"),
    ]

    private static let globalUnicast = AddressBlock(trusted: "2000::/3")
    private static let translated = AddressBlock(trusted: "64:ff9b::/96")

    private static let insideV6 = [
        Block("::/128", "unspecified"),
        Block("::1/128", "loopback"),
        Block("64:ff9b:1::/48", "NAT64 of the network's own"),
        Block("100::/64", "discarded"),
        Block("2001::/32", "Teredo"),
        Block("2001::/23", "protocol assignments"),
        Block("2001:db8::/32", "documentation"),
        Block("2002::/16", "6to4"),
        Block("2620:4f:8000::/48", "AS112"),
        Block("3fff::/20", "documentation"),
        Block("5f00::/16", "segment routing"),
        Block("fc00::/7", "unique local"),
        Block("fe80::/10", "link-local"),
        Block("fec0::/10", "site-local"),
        Block("ff00::/8", "multicast"),
    ]
}

/// A refused address and its block.
package struct AddressRefusal: Sendable, Equatable, CustomStringConvertible {
    package let address: IPAddress
    package let reason: String

    package var description: String { "\(address) is \(reason)" }
}
