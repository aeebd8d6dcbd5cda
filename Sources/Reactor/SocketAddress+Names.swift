import CLinux
import Glibc

/// A failure of name resolution, with the message of the system's resolver.
package struct NameResolutionError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension SocketAddress {
    /// Parses a numeric address without brackets; nil for a name. Looks nothing up.
    package init?(numericHost host: String, port: UInt16) {
        guard
            let first = try? SocketAddress.look(up: host, port: port, flags: AI_NUMERICHOST).first
        else { return nil }
        self = first
    }

    /// Returns all addresses of a name, in the order in which the system recommends to try them
    /// (RFC 6724).
    ///
    /// Blocks until the name servers answer. Only for a separate thread.
    package static func addresses(
        ofName name: String,
        port: UInt16
    ) throws(NameResolutionError) -> [SocketAddress] {
        try look(up: name, port: port, flags: 0)
    }

    /// The bytes of the address: 4 of IPv4, 16 of IPv6, in network order.
    package var addressBytes: [UInt8] {
        withSockaddr { address, _ in
            let raw = UnsafeRawPointer(address)
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                let bits = raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
                return withUnsafeBytes(of: bits, Array.init)
            case AF_INET6:
                let bits = raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
                return withUnsafeBytes(of: bits, Array.init)
            default: return []
            }
        }
    }

    /// The same address with another port.
    package func withPort(_ port: UInt16) -> SocketAddress {
        var storage = sockaddr_storage()
        let length = withSockaddr { address, length in
            memcpy(&storage, address, Int(length))
            return length
        }
        withUnsafeMutablePointer(to: &storage) {
            // The port is at the same offset in sockaddr_in and sockaddr_in6.
            $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                $0.pointee.sin_port = port.bigEndian
            }
        }
        return SocketAddress(storage: storage, length: length)
    }

    package var isIPv6: Bool { family == AF_INET6 }

    private static func look(
        up host: String,
        port: UInt16,
        flags: Int32
    ) throws(NameResolutionError) -> [SocketAddress] {
        guard !host.isEmpty, !host.utf8.contains(0) else {
            throw NameResolutionError("not a host name")
        }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            throw NameResolutionError(String(cString: gai_strerror(code)).lowercased())
        }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }
            .prefix { $0 != nil }
            .compactMap { entry in
                guard let entry, let address = entry.pointee.ai_addr else { return nil }
                var storage = sockaddr_storage()
                let length = entry.pointee.ai_addrlen
                memcpy(&storage, address, min(Int(length), MemoryLayout<sockaddr_storage>.size))
                return SocketAddress(storage: storage, length: length)
            }
    }
}
