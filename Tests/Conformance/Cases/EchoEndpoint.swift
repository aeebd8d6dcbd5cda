import Wire

/// An end of either role that sends back what it gets.
package struct EchoEndpoint: ~Copyable {
    package private(set) var connection: WebSocketConnection
    private var keys = MaskingKeys()

    /// - Parameter deflate: What the opening handshake agreed on.
    package init(role: Role, limits: WebSocketLimits, deflate: DeflateParameters? = nil) {
        connection = WebSocketConnection(
            role: role,
            limits: limits,
            deflate: deflate,
            pool: DeflatePool(settings: .everyMessage)
        )
    }

    /// The bytes that answer a piece of input.
    package mutating func answer(_ piece: [UInt8]) -> [UInt8] {
        var piece = piece
        var input = piece.mutableSpan
        var consumed = 0
        var output: [UInt8] = []
        while let event = connection.receive(
            &input,
            consumed: &consumed,
            output: &output,
            maskingKey: { keys.next() }
        ) {
            guard case .message(let kind, let payload) = event else { continue }
            let bytes = connection.bytes(of: payload, in: input.span)
            do throws(WebSocketSendError) {
                try connection.send(kind, bytes.span, output: &output) { keys.next() }
            } catch {
                preconditionFailure("a connection that gives a message is open: \(error)")
            }
        }
        return output
    }
}

extension WebSocketLimits {
    /// The least that the list can do with: a frame of 16 MiB, and 4 MiB in fragments of 64 bytes
    /// with an empty one behind them.
    package static let conformance = WebSocketLimits(
        messageLengthMax: 16 << 20,
        fragmentsPerMessageMax: (1 << 16) + 1
    )
}

extension DeflateSettings {
    /// Compresses the shortest messages too, and takes the context over where the peer lets it.
    package static let everyMessage = DeflateSettings(
        server: DeflateWindow(isTakenOver: true),
        client: DeflateWindow(isTakenOver: true),
        messageLengthMin: 0
    )
}
