import Reactor

/// The limits of where redirects may lead a request: a server chooses with its redirects the host of
/// the next request.
///
/// The addresses are checked, not the name, and the connection is made to a checked one. A proxy
/// looks names up by itself, so its own rules decide about them; only addresses, and names for this
/// machine, are checked before it is asked.
package struct UpstreamReach: Sendable {
    /// Chosen by the sender; requests to it are not checked. Nil if every host is.
    private let host: String?
    private let refusal: @Sendable (SocketAddress) -> String?

    /// - Parameter refusal: why a request may not go to an address; nil if it may.
    package init(
        from url: UpstreamURL,
        refusal: @escaping @Sendable (SocketAddress) -> String?
    ) {
        host = url.host
        self.refusal = refusal
    }

    /// - Parameter refusal: why no request may go to an address, not even the first; nil if one may.
    package init(refusal: @escaping @Sendable (SocketAddress) -> String?) {
        host = nil
        self.refusal = refusal
    }

    func isChecked(_ url: UpstreamURL) -> Bool { url.host != host }

    /// Why the addresses of a host may not be reached; nil if they may. One that may not is enough:
    /// a name with public and internal addresses is meant to reach the internal ones.
    func refusal(of addresses: [SocketAddress]) -> String? {
        addresses.lazy.compactMap(refusal).first
    }

    /// The same for a host that a proxy looks up.
    func refusal(ofHostBehindProxy url: UpstreamURL) -> String? {
        if let address = SocketAddress(numericHost: url.host, port: url.port) {
            return refusal(address)
        }
        let labels = url.host.split(separator: ".").map { $0.lowercased() }
        // RFC 6761 §6.3.
        guard labels.last != "localhost" else { return "\(url.host) is this machine" }
        // Resolvers take 127.1 and 0x7f000001 for addresses; no top-level domain begins so.
        guard let first = labels.last?.utf8.first, !(0x30...0x39).contains(first) else {
            return "\(url.host) is not a name"
        }
        return nil
    }
}
