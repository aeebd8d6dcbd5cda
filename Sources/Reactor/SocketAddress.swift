import CLinux
import Glibc

/// An IPv4 or IPv6 address with a port, or the path of a unix socket.
package struct SocketAddress: Sendable, CustomStringConvertible {
    private var storage: sockaddr_storage
    private let length: socklen_t

    /// Parses `127.0.0.1:8000`, `[::1]:8000` or `localhost:8000`; nil when the form is wrong or the
    /// name has no address. A name is looked up, which may block: not for a loop thread.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        // Checked because `UInt16` would accept "+80".
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        self.init(host: host, port: port)
    }

    package init?(host: String, port: UInt16) {
        guard !host.isEmpty else { return nil }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else {
            return nil
        }
        defer { freeaddrinfo(list) }
        storage = sockaddr_storage()
        length = first.pointee.ai_addrlen
        memcpy(&storage, first.pointee.ai_addr, Int(length))
    }

    /// Nil for a path that is empty or too long.
    package init?(unixPath path: String) {
        guard !path.isEmpty, path.utf8.count <= UnixListener.pathBytesMax, !path.utf8.contains(0)
        else { return nil }
        storage = sockaddr_storage()
        storage.ss_family = sa_family_t(AF_UNIX)
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
        withUnsafeMutableBytes(of: &storage) {
            $0.baseAddress!.advanced(by: start).copyMemory(
                from: Array(path.utf8),
                byteCount: path.utf8.count
            )
        }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
    }

    package init(_ address: IPAddress, port: UInt16) {
        guard let made = SocketAddress(numericHost: "\(address)", port: port) else {
            preconditionFailure("\(address) is an address")
        }
        self = made
    }

    init(storage: sockaddr_storage, length: socklen_t) {
        self.storage = storage
        self.length = length
    }

    var family: Int32 { Int32(storage.ss_family) }

    package var isUnix: Bool { family == AF_UNIX }

    /// The IP address, with an IPv4 address in IPv6 form as IPv4; nil for a unix socket.
    package var ipAddress: IPAddress? {
        addressBytes.withUnsafeBytes { IPAddress(bytes: $0) }?.unmapped
    }

    package var port: UInt16 {
        guard !isUnix else { return 0 }
        var copy = storage
        return withUnsafePointer(to: &copy) {
            // The port is at the same offset in sockaddr_in and sockaddr_in6.
            $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }

    /// The address without the port, as text; `unix` for a unix socket.
    package var host: String {
        guard !isUnix else { return "unix" }
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        _ = withSockaddr {
            getnameinfo($0, $1, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
        }
        return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    package var isLoopback: Bool {
        guard !isUnix else { return true }
        let host = host
        return host == "::1" || host.hasPrefix("127.") || host.hasPrefix("::ffff:127.")
    }

    /// The key by which limits count an address: all of an IPv4 address, and the first 64 bits of
    /// an IPv6 address, since one host can use any address of that network. The same as in
    /// `ConnectionCensus`.
    package var network: UInt64 { Peer(storage).network }

    package var description: String {
        if isUnix { return "unix:\(unixPath)" }
        return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Empty for the peer of a unix socket, which has no name.
    private var unixPath: String {
        withUnsafeBytes(of: storage) { bytes in
            let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
            guard Int(length) > start else { return "" }
            return String(decoding: bytes[start..<Int(length)].prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    func withSockaddr<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var copy = storage
        return withUnsafePointer(to: &copy) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    static func local(of descriptor: Int32) -> SocketAddress? { read(descriptor, getsockname) }

    static func peer(of descriptor: Int32) -> SocketAddress? { read(descriptor, getpeername) }

    private static func read(
        _ descriptor: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
        }
        return result == 0 ? SocketAddress(storage: storage, length: length) : nil
    }
}
