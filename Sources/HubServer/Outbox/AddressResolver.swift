import Glibc
import NIOPosix
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
        // The call blocks, for seconds when a name server does not answer.
        try await NIOThreadPool.singleton.runIfActive { try SystemResolver.resolve(name) }
    }

    private static func resolve(_ name: String) throws -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else {
            throw AddressResolutionError(description: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }
            .prefix { $0 != nil }
            .compactMap { entry in entry?.pointee.ai_addr.flatMap(address) }
    }

    private static func address(of socket: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
        let raw = UnsafeMutableRawPointer(socket)
        switch Int32(socket.pointee.sa_family) {
        case AF_INET:
            let bits = raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
            return withUnsafeBytes(of: bits) { IPAddress(bytes: $0) }
        case AF_INET6:
            let bits = raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
            return withUnsafeBytes(of: bits) { IPAddress(bytes: $0) }
        default: return nil
        }
    }
}
