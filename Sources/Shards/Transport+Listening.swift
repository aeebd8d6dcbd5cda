import Reactor

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
