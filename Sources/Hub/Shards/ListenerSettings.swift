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

extension Transport {
    /// Opens the listeners on every loop.
    ///
    /// - Returns: the listeners, and the unix sockets among them.
    static func listen(
        _ shards: [Shard],
        on listeners: [ListenerSettings],
        tls: TLSServer?
    ) async throws -> ([BoundListener], [UnixListener]) {
        var bound: [BoundListener] = []
        var sockets: [UnixListener] = []
        do {
            for settings in listeners {
                switch settings.place {
                case .address(let address):
                    let tls = settings.usesTLS ? tls : nil
                    let first = try await shards[0].listen(
                        on: address,
                        tls: tls,
                        kind: settings.kind
                    )
                    for shard in shards.dropFirst() {
                        _ = try await shard.listen(on: first, tls: tls, kind: settings.kind)
                    }
                    bound.append(
                        BoundListener(address: first, kind: settings.kind, usesTLS: tls != nil)
                    )
                case .unix(let path, let mode):
                    let socket = try UnixListener(path: path, mode: mode)
                    sockets.append(socket)
                    defer { socket.closeDescriptor() }
                    for shard in shards { try await shard.listen(on: socket, kind: settings.kind) }
                    bound.append(
                        BoundListener(
                            address: socket.address,
                            kind: settings.kind,
                            usesTLS: false
                        )
                    )
                }
            }
        } catch {
            for socket in sockets { socket.removeFile() }
            throw error
        }
        return (bound, sockets)
    }
}
