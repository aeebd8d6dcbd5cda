import ClientWire
import Digests
import HTTPService
import HTTPWire
import PubSub
import Reactor
import WebSocketWire

/// What one shard allows, and how long it waits.
package struct ShardSettings: Sendable {
    package var connections = ConnectionLimits(connectionsMax: 20_000, queueBytesMax: 1 << 20)
    package var http = HTTPLimits()
    /// Which web pages may open a WebSocket or an event stream, and read answers.
    package var origins = OriginPolicy()
    package var webSocket = WebSocketLimits()
    /// Bytes of a message, inflated, of a client that was not let in yet, and of a reader that has nothing to
    /// say.
    package var connectBytesMax = 32 << 10
    /// From the first frame of a message to its end.
    package var messageTimeout = Duration.seconds(30)
    /// Nil compresses nothing.
    package var deflate: DeflateSettings? = DeflateSettings()
    package var client = CentrifugeLimits()
    /// Of the hub that the shard is made with; here for one that is read again.
    package var hub = HubLimits()
    /// Clients without a connection token are refused.
    package var requiresToken = false
    package var rates = ClientRates()
    /// From accept to the first byte of a request, and from there to the end of its body.
    package var requestTimeout = Duration.seconds(10)
    /// Between requests of a connection that is kept alive.
    package var idleTimeout = Duration.seconds(75)
    /// From our close frame to the peer's.
    package var closeTimeout = Duration.seconds(5)
    package var heartbeat = Duration.seconds(15)
    /// What event streams are told to wait before they reconnect; each is told a little more or less.
    package var retry = Duration.seconds(2)
    /// Serves `/echo`, a WebSocket that sends back what it gets.
    package var offersEcho = false
    /// Whether clients get the reason of a refusal and the key of the configuration that allows it.
    package var explainsRefusals = false
    /// What clients are told about who they talk to.
    package var node = "varde"
    package var version = Version.text
    /// Connections taken from one listener in one turn; the rest wait for the next.
    package var turnAcceptsMax = 64
    /// What a turn does for one client: bytes of its messages, inflated, and of the answers to them. A turn that
    /// has done more ends its work for the client with the command under way.
    package var turnWorkBytesMax = 128 << 10
    /// Pings and pongs of one client in one second.
    package var controlFramesMax = 100
    /// Of WebSockets that do not speak the client protocol, which has its own.
    package var pingInterval = Duration.seconds(25)
    package var pongTimeout = Duration.seconds(8)

    /// The monotonic clock of the loop, and how many random bytes are made: given by simulations.
    package var clock = LoopClock.system
    package var random: @Sendable (_ count: Int) -> [UInt8] = { randomBytes($0) }

    package init() {}
}
