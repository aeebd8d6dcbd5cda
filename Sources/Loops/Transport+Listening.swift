import Reactor

extension Transport {
    /// Opens the listeners on every loop.
    ///
    /// - Returns: the listeners, and the unix sockets among them.
    static func listen(
        _ loops: [Loop],
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
                    let first = try await loops[0].listen(
                        on: address,
                        tls: tls,
                        kind: settings.kind
                    )
                    for loop in loops.dropFirst() {
                        _ = try await loop.listen(on: first, tls: tls, kind: settings.kind)
                    }
                    bound.append(
                        BoundListener(address: first, kind: settings.kind, usesTLS: tls != nil)
                    )
                case .unix(let path, let mode):
                    let socket = try UnixListener(path: path, mode: mode)
                    sockets.append(socket)
                    defer { socket.closeDescriptor() }
                    for loop in loops { try await loop.listen(on: socket, kind: settings.kind) }
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
