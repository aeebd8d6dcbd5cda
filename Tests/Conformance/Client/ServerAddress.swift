/// Where to connect, from a URL such as `ws://127.0.0.1:8000/echo`.
struct ServerAddress {
    var host: String
    var port: UInt16
    /// Path and query.
    var resourceName: String

    /// Nil for anything but a `ws` URL with a port; IPv6 addresses are not needed here.
    init?(url: String) {
        let scheme = "ws://"
        guard url.hasPrefix(scheme) else { return nil }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let parts = authority.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { return nil }
        host = String(parts[0])
        self.port = port
        resourceName = String(rest.dropFirst(authority.count))
    }
}
