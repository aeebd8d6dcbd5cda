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
        let loops = try Transport.make(
            loops: 1,
            settings: LoopSettings(),
            rules: .none,
            logger: logger,
            histories: .none
        )
        return RequestServer(
            transport: try await loops.start(
                on: [ListenerSettings(.address(address))],
                tls: nil,
                respond: respond
            )
        )
    }

    package func stop() async {
        await transport.drain(timeout: .seconds(1))
    }
}
