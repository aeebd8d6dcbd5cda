import ClientWire
import Reactor
import Service
import Wire

/// The limits and timeouts of one loop.
package struct LoopSettings: Sendable {
    package var connections = ConnectionLimits(connectionsMax: 20_000, queueBytesMax: 1 << 20)
    package var http = HTTPLimits()
    /// The web pages that may open a WebSocket or an event stream, and read answers.
    package var origins = OriginPolicy()
    package var webSocket = WebSocketLimits()
    /// The maximum bytes of an inflated message from a client that is not admitted yet, and from a
    /// reader that sends no messages.
    package var connectBytesMax = 32 << 10
    /// The time from the first frame of a message to its end.
    package var messageTimeout = Duration.seconds(30)
    /// Nil disables compression.
    package var deflate: DeflateSettings? = DeflateSettings()
    package var client = CentrifugeLimits()
    /// The limits of the loop's hub; only a reload reads them here.
    package var hub = HubLimits()
    /// Whether clients without a connection token are refused.
    package var requiresToken = false
    /// The hooks that are asked about clients, whatever their topics.
    package var hooks = ClientHookNames()
    package var rates = ClientRates()
    /// The time from accept to the first byte of a request, and from there to the end of its body.
    package var requestTimeout = Duration.seconds(10)
    /// The time between requests of a connection that is kept alive.
    package var idleTimeout = Duration.seconds(75)
    /// The time from the hub's Close frame to the peer's.
    package var closeTimeout = Duration.seconds(5)
    package var heartbeat = Duration.seconds(15)
    /// The reconnect delay of event streams; each receives a random value around it.
    package var retry = Duration.seconds(2)
    /// Whether the hub serves `/echo`, a WebSocket that sends back its input.
    package var offersEcho = false
    /// Whether clients receive the reason of a refusal and the configuration key that allows it, and few
    /// routes need credentials.
    package var isDevelopment = false
    /// The name of the hub that clients receive.
    package var node = "varde"
    package var version = Version.text
    /// The number of connections accepted from one listener in one turn; the rest wait for the
    /// next.
    package var turnAcceptsMax = 64
    /// The work of a turn for one client: bytes of its inflated messages, and of the answers to
    /// them. A turn that exceeds it ends its work for the client with the current command.
    package var turnWorkBytesMax = 128 << 10
    /// The maximum number of pings and pongs of one client in one second.
    package var controlFramesMax = 100
    /// The ping interval of WebSockets without the client protocol, which has its own.
    package var pingInterval = Duration.seconds(25)
    package var pongTimeout = Duration.seconds(8)

    /// The loop's monotonic clock and its source of random bytes, which simulations replace.
    package var clock = LoopClock.system
    package var random: @Sendable (_ count: Int) -> [UInt8] = { randomBytes($0) }

    package init() {}
}

extension LoopSettings {
    /// Enough to fill a socket's buffer, small enough for a thousand slow readers.
    private static let pieceBytesMax = 256 << 10

    package var httpPolicy: HTTPPolicy {
        HTTPPolicy(
            requestTimeout: requestTimeout,
            idleTimeout: idleTimeout,
            stallTimeout: connections.stallTimeout,
            // Half of the queue: TLS makes a piece longer.
            pieceBytesMax: max(1, min(connections.queueBytesMax / 2, LoopSettings.pieceBytesMax))
        )
    }
}

extension LoopSettings {
    /// Compressed input is read in pieces of this many bytes. A piece inflates to at most 16 KiB:
    /// DEFLATE's ratio is up to 1032.
    package static let compressedPieceMax = 16

    /// Limits of an admitted client. Its session accepts no longer frames, so inflating one ends
    /// there.
    private var clientLimits: WebSocketLimits {
        webSocket.capped(messageLength: client.frameLengthMax)
    }

    package var clientPolicy: ClientPolicy {
        ClientPolicy(
            webSocket: webSocketPolicy,
            admittedLimits: clientLimits,
            compressedPieceMax: LoopSettings.compressedPieceMax
        )
    }
}

extension LoopSettings {
    package var webSocketPolicy: WebSocketPolicy {
        WebSocketPolicy(
            pingInterval: pingInterval,
            pongTimeout: pongTimeout,
            closeTimeout: closeTimeout,
            controlFramesMax: controlFramesMax
        )
    }
}

extension LoopSettings {
    /// Returns the head of a stream. Without a length the body ends with the connection (RFC 9112 §6.3), so the same encoding
    /// serves HTTP/1.0 and 1.1. Headers forbid proxies to buffer or change it.
    package func streamHead(
        _ contentType: String,
        answering request: HTTPRequestHead
    ) -> HTTPResponseHead {
        var head = HTTPResponseHead(
            status: 200,
            headers: [
                "Content-Type": contentType, "Cache-Control": "no-store, no-transform",
                "X-Accel-Buffering": "no", "Date": HubClock.wall.httpDate, "Connection": "close",
                "X-Content-Type-Options": ServerResponse.contentTypeOptions,
            ]
        )
        origins.addFields(to: &head, answering: request)
        return head
    }
}

/// The changes of a reloaded configuration for a loop.
package struct LoopUpdate: Sendable {
    package var settings: LoopSettings
    package var rules: NamespaceRules
    package var verifier: TokenVerifier
    package var apiKeys = APIKeys([])
    /// The verifier's published keys are fetched, and the previous ones stay in use until then.
    package var keepsPublishedKeys = false

    package init(settings: LoopSettings, rules: NamespaceRules, verifier: TokenVerifier) {
        self.settings = settings
        self.rules = rules
        self.verifier = verifier
    }

    /// The verifier in place of a former one.
    func verifier(after former: TokenVerifier) -> TokenVerifier {
        var verifier = verifier
        if keepsPublishedKeys { verifier.keys.published = former.keys.published }
        return verifier
    }
}
