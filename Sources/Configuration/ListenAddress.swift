/// An address to listen on: a host name or an IP address, and a port; with port 0 the system
/// chooses one. Or a unix socket.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IPv6 address has no brackets here.
    package let host: String
    package let port: UInt16
    /// The path of a unix socket, which has neither host nor port.
    package let unixPath: String?

    package static let unixPrefix = "unix:"
    /// The maximum length in `sun_path` (unix(7)), without the terminating zero.
    private static let unixPathBytesMax = 107

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
        unixPath = nil
    }

    /// Reads `127.0.0.1:8000`, `[::1]:8000`, `localhost:8000` or `unix:/run/varde/varde.sock`;
    /// returns nil for any other text. Names are not resolved.
    package init?(_ text: String) {
        if text.hasPrefix(ListenAddress.unixPrefix) {
            let path = String(text.dropFirst(ListenAddress.unixPrefix.count))
            guard path.hasPrefix("/"), !path.hasSuffix("/"),
                !path.utf8.contains(where: { $0 < 0x20 }),
                path.utf8.count <= ListenAddress.unixPathBytesMax
            else { return nil }
            (host, port, unixPath) = ("", 0, path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy(ListenAddress.isAllowedInHost) else { return nil }
        self.host = String(host)
        self.port = port
        unixPath = nil
    }

    /// Whether only this machine can reach the address. Names other than `localhost` count as
    /// reachable, since their address may change.
    package var isLoopback: Bool {
        unixPath != nil || host == "localhost" || host == "::1" || isIPv4Loopback
    }

    package var description: String {
        if let unixPath { return ListenAddress.unixPrefix + unixPath }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private var isIPv4Loopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isAllowedInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
