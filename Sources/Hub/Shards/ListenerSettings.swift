import Reactor

/// Where a server listens, and for whom.
package struct ListenerSettings: Sendable {
    package enum Place: Sendable {
        case address(SocketAddress)
        case unix(path: String, mode: UInt32)
    }

    package var place: Place
    package var kind: ListenerKind
    /// Only of addresses, and only where the server has a certificate: unix sockets are plaintext.
    package var usesTLS: Bool

    package init(_ place: Place, kind: ListenerKind = .public, usesTLS: Bool = true) {
        self.place = place
        self.kind = kind
        self.usesTLS = usesTLS
    }
}

/// A listener that is open.
package struct BoundListener: Sendable {
    /// With the port that the kernel chose where 0 was asked for.
    package let address: SocketAddress
    package let kind: ListenerKind
    package let usesTLS: Bool
}
