import NIOCore
import NIOPosix

/// A server on loopback that answers every connection with the same bytes, whatever it is asked.
enum RawServer {
    /// - Parameter closes: whether it closes the connection then, or keeps silent.
    static func run(
        sending bytes: String,
        closes: Bool,
        _ body: (_ url: String) async throws -> Void
    ) async throws {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        RawAnswer(bytes: bytes, closes: closes)
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body("http://127.0.0.1:\(port)/"))
        } catch {
            outcome = .failure(error)
        }
        try await channel.close()
        try outcome.get()
    }
}

/// Answers whatever comes in first with the same bytes.
private final class RawAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let bytes: String
    private let closes: Bool

    init(bytes: String, closes: Bool) {
        self.bytes = bytes
        self.closes = closes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: bytes)), promise: nil)
        if closes { context.close(promise: nil) }
    }
}
