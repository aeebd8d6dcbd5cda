/// Where to listen: a host name or an IP address, and a port; port 0 lets the system choose.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IPv6 address stands here without its brackets.
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8000`, `[::1]:8000` or `localhost:8000`; nil for anything else. Nothing is
    /// looked up.
    package init?(_ text: String) {
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
    }

    /// Whether only this machine can reach it. A name other than `localhost` counts as reachable,
    /// as its address may change.
    package var isLoopback: Bool {
        host == "localhost" || host == "::1" || isIPv4Loopback
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
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
