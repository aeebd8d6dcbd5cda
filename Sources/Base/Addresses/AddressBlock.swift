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
    package init(trusted text: String) {
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
