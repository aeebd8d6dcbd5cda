import Upstream

/// Resolves host names to addresses.
package protocol AddressResolver: Sendable {
    /// - Throws: `AddressResolutionError` if the name has no address or the lookup fails.
    func addresses(of name: String) async throws -> [IPAddress]
}

package struct AddressResolutionError: Error, CustomStringConvertible {
    package let description: String
}

/// The system's resolver: the hosts file, DNS and any other configured source.
package struct SystemResolver: AddressResolver {
    package init() {}

    package func addresses(of name: String) async throws -> [IPAddress] {
        try await SystemNameResolver.shared.addresses(of: name).compactMap { address in
            address.addressBytes.withUnsafeBytes { IPAddress(bytes: $0) }
        }
    }
}
