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
