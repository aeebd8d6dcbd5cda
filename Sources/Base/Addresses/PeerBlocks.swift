/// Peers that an operator trusts: blocks of addresses, and the peers of unix sockets.
package struct PeerBlocks: Equatable, Sendable {
    /// One entry of a configuration: `10.0.0.0/8`, an address, or `unix`.
    package enum Entry: Hashable, Sendable {
        case block(AddressBlock)
        /// Every process that can open a unix socket of the hub.
        case unix

        package init?(_ text: String) {
            if text == "unix" {
                self = .unix
            } else if let block = AddressBlock(text) {
                self = .block(block)
            } else if let address = IPAddress(text) {
                self = .block(AddressBlock(only: address))
            } else {
                return nil
            }
        }
    }

    private let blocks: [AddressBlock]
    package let includesUnix: Bool

    package init(_ entries: [Entry] = []) {
        blocks = entries.compactMap {
            if case .block(let block) = $0 { block } else { nil }
        }
        includesUnix = entries.contains(.unix)
    }

    package var isEmpty: Bool { blocks.isEmpty && !includesUnix }

    /// Whether a block contains the address. An IPv4 address in IPv6 form counts as IPv4.
    package func contains(_ address: IPAddress) -> Bool {
        let address = address.unmapped
        return blocks.contains { $0.contains(address) }
    }
}

extension PeerBlocks.Entry: CustomStringConvertible {
    package var description: String {
        switch self {
        case .block(let block): block.description
        case .unix: "unix"
        }
    }
}

extension AddressBlock {
    /// The block that contains one address.
    package init(only address: IPAddress) {
        let length = if case .v4 = address { 32 } else { 128 }
        self.init(trusted: "\(address)/\(length)")
    }
}
