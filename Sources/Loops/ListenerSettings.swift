import Reactor

/// The place and the purpose of a listener.
package struct ListenerSettings: Sendable {
    package enum Place: Sendable {
        case address(SocketAddress)
        case unix(path: String, mode: UInt32)
    }

    package var place: Place
    package var kind: ListenerKind
    /// Only for addresses, and only if the server has a certificate: unix sockets are plaintext.
    package var usesTLS: Bool

    package init(_ place: Place, kind: ListenerKind = .public, usesTLS: Bool = true) {
        self.place = place
        self.kind = kind
        self.usesTLS = usesTLS
    }
}

/// Inherited sockets whose connections no listener would accept.
package struct UnnamedSocketsError: Error, CustomStringConvertible {
    let addresses: [String]

    package var description: String {
        "no `listen` names the inherited socket \(addresses.joined(separator: ", "))"
    }
}

extension [ListenerSettings] {
    /// Throws when a service manager has passed on sockets with other addresses.
    package func checkNameInheritedSockets() throws(UnnamedSocketsError) {
        let addresses = InheritedListeners.others(
            than: compactMap { settings in
                switch settings.place {
                case .address(let address): address
                case .unix(let path, _): SocketAddress(unixPath: path)
                }
            }
        )
        guard addresses.isEmpty else { throw UnnamedSocketsError(addresses: addresses) }
    }

    /// Throws when another process listens on one of the addresses, or when no socket can be created
    /// there. A port that the kernel chooses is free.
    package func checkAreFree() throws(SystemError) {
        for settings in self {
            switch settings.place {
            case .address(let address):
                if address.port != 0 { try checkIsFree(address) }
            case .unix(let path, _): try checkIsFree(unixPath: path)
            }
        }
    }
}

/// An open listener.
package struct BoundListener: Sendable {
    /// With the port that the kernel chose in place of port 0.
    package let address: SocketAddress
    package let kind: ListenerKind
    package let usesTLS: Bool
}
