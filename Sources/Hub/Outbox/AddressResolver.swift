import Addresses
import Upstream
import Webhooks

/// Finds the addresses of a name.
package protocol AddressResolver: Sendable {
    /// - Throws: `AddressResolutionError` when there are none, or nobody can say.
    func addresses(of name: String) async throws -> [IPAddress]
}

package struct AddressResolutionError: Error, CustomStringConvertible {
    package let description: String
}

/// The system's resolver: hosts file, DNS and what else the machine is set up with.
package struct SystemResolver: AddressResolver {
    package init() {}

    package func addresses(of name: String) async throws -> [IPAddress] {
        try await SystemNameResolver.shared.addresses(of: name).compactMap { address in
            address.addressBytes.withUnsafeBytes { IPAddress(bytes: $0) }
        }
    }
}
