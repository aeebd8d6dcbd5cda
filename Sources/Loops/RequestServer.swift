import Reactor
import Service

/// A server that only answers requests: the replay, the webhook receiver.
package struct RequestServer: Sendable {
    private let transport: Transport

    package var address: SocketAddress { transport.addresses[0] }

    package static func start(
        listen: String,
        logger: Logger,
        respond: @escaping Responder
    ) async throws -> RequestServer {
        guard let address = SocketAddress(listen) else {
            throw SystemError("listen on", code: 22, context: listen)
        }
        let transport = try await Transport.start(
            loops: 1,
            listeners: [ListenerSettings(.address(address))],
            tls: nil,
            settings: LoopSettings(),
            rules: .none,
            logger: logger,
            histories: .none,
            respond: respond
        )
        return RequestServer(transport: transport)
    }

    package func stop() async {
        await transport.drain(timeout: .seconds(1))
    }
}
