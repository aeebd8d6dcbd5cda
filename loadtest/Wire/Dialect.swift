/// What is said on a connection: on a WebSocket bare messages made from templates or the Centrifuge protocol, or
/// HTTP requests that the scenario makes.
enum Dialect: Sendable {
    case raw(RawDialect)
    case centrifuge
    case http

    /// What a server's messages are when the peer has nothing else to go by.
    var isBinary: Bool {
        switch self {
        case .raw(let raw): raw.isBinary
        case .centrifuge, .http: false
        }
    }

    /// Whether a subscriber that comes back can be given what it has missed.
    var canRecover: Bool {
        switch self {
        case .raw, .http: false
        case .centrifuge: true
        }
    }

    /// The first message of a new connection; nil when it has nothing to say.
    func opening(
        _ role: PeerRole,
        number: Int,
        channel: String,
        token: String? = nil,
        position: Position?
    ) -> [UInt8]? {
        switch (self, role) {
        case (.centrifuge, .subscriber):
            return CentrifugeText.opening(channel: channel, token: token, position: position)
        case (.centrifuge, .publisher), (.centrifuge, .caller):
            return CentrifugeText.opening(channel: nil, position: nil)
        case (.raw(let raw), .subscriber), (.raw(let raw), .publisher):
            let template = role == .subscriber ? raw.subscribe : raw.greeting
            guard let template else { return nil }
            var message: [UInt8] = []
            template.append(channel: channel, number: number, to: &message)
            return message
        case (.raw, .caller), (.http, _): return nil
        }
    }

    /// The messages that publish `payloads`: all commands in one with Centrifuge, else one for each.
    /// None with HTTP, where the scenario makes them.
    func publications(_ payloads: [[UInt8]], firstNumber: Int, channel: String) -> [[UInt8]] {
        switch self {
        case .raw(let raw):
            return payloads.enumerated().map { index, payload in
                var message: [UInt8] = []
                raw.publish.append(
                    channel: channel,
                    number: firstNumber + index,
                    payload: payload,
                    to: &message
                )
                return message
            }
        case .centrifuge:
            var frame: [UInt8] = []
            for (index, payload) in payloads.enumerated() {
                if index > 0 { frame.append(CentrifugeText.newline) }
                CentrifugeText.appendPublication(
                    // Ids are 32 bits and not 0; who waits for the answers does not matter here.
                    id: CentrifugeText.firstPublicationID + (firstNumber + index) % (1 << 30),
                    channel: channel,
                    data: payload,
                    to: &frame
                )
            }
            return [frame]
        case .http: return []
        }
    }
}

/// A protocol that is told on the command line.
struct RawDialect: Sendable {
    /// The first message of a subscriber and of a publisher; nil for none.
    var subscribe: MessageTemplate?
    var greeting: MessageTemplate?
    var publish = MessageTemplate("{payload}")
    /// A message with this text says that the peer is ready; nil when it is at once.
    var readyText: [UInt8]?
    /// A message that begins with `question` is answered, as a protocol's own pings want it.
    var answer: (question: [UInt8], answer: [UInt8])?
    var isBinary = false
}

/// What a connection is there for.
enum PeerRole: Sendable {
    case subscriber
    case publisher
    /// Says what the scenario says, and nothing on its own: echo, bare handshakes.
    case caller
}
