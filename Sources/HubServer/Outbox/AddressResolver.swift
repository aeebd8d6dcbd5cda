import Upstream
import Webhooks

/// Finds the addresses of a name.
protocol AddressResolver: Sendable {
    /// - Throws: `AddressResolutionError` when there are none, or nobody can say.
    func addresses(of name: String) async throws -> [IPAddress]
}

struct AddressResolutionError: Error, CustomStringConvertible {
    let description: String
}

/// The system's resolver: hosts file, DNS and what else the machine is set up with.
struct SystemResolver: AddressResolver {
    func addresses(of name: String) async throws -> [IPAddress] {
        try await SystemNameResolver.shared.addresses(of: name).compactMap { address in
            address.addressBytes.withUnsafeBytes { IPAddress(bytes: $0) }
        }
    }
}
