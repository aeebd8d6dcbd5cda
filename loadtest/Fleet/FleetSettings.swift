import Reactor
import Wire

/// Whom the generator's connections go to, and how they present themselves.
struct FleetSettings: Sendable {
    var url: TargetURL
    var address: SocketAddress
    /// Nil for plain text.
    var tls: TLSContext?
    var dialect: Dialect
    var channel: String
    /// What subscribers and callers ask for, and what publishers ask for.
    var path: String
    var publisherPath: String
    var subprotocols: [String] = []
    /// With them, a subscriber has the token and the channel of the seat of its number, and callers stay with
    /// HTTP.
    var seats: [Seat]?
    /// Addresses of this machine that connections come from, in turn; none lets the kernel choose.
    var sources: [SocketAddress] = []
    var connectionsMax: Int
    /// How long a connection may take until it is ready.
    var joinTimeout = Duration.seconds(30)

    /// Connections of one source address at most: fewer than the 10,000 that a hub takes from one unless it is
    /// told otherwise, and than half of the ephemeral ports, from where on `connect` searches ever longer
    /// for a free one.
    static let connectionsPerSource = 9_000

    /// Connections that are on their way at once where nothing else is asked for.
    static let openingConcurrency = 256

    /// A publisher's burst waits here while the server reads it.
    static let queueBytesMax = 256 << 20

    /// As large a message as any server sends to a load: a frame with all that was recovered.
    static let webSocketLimits = WebSocketLimits(messageLengthMax: 64 << 20)

    /// 127.0.0.1 and the addresses behind it, as many as `connections` need; none for a server that is not
    /// on the IPv4 loopback, whose routes are not ours to choose.
    static func loopbackSources(for connections: Int, to address: SocketAddress) -> [SocketAddress]
    {
        guard address.host.hasPrefix("127.") else { return [] }
        let count = (connections + connectionsPerSource - 1) / connectionsPerSource
        return loopbackSources(count: count)
    }

    static func loopbackSources(count: Int) -> [SocketAddress] {
        (0..<count).compactMap { index in
            // 127.0.0.0/8 has room for all: the last byte runs from 1 to 250, then the one before it counts.
            SocketAddress(host: "127.0.\(index / 250).\(index % 250 + 1)", port: 0)
        }
    }
}
