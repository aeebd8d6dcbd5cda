import ClientWire

/// The number of open connections by protocol.
package struct OpenConnections: Sendable, Equatable {
    package var http = 0
    package var json = 0
    /// Clients without a WebSocket, in JSON.
    package var streams: [ClientStreamFraming: Int] = [:]
    package var protobuf = 0
    package var cloudEvents = 0
    /// WebSockets at paths of their own, by the name of the socket.
    package var sockets: [String: Int] = [:]
    package var echo = 0
    package var eventStream = 0

    /// The number of connections that receive publications.
    package var clients: Int {
        json + protobuf + cloudEvents + eventStream + sockets.values.reduce(0, +)
            + streams.values.reduce(0, +)
    }

    package mutating func count(_ session: Session) {
        switch session {
        case .none: break
        case .http: http += 1
        case .client(let session):
            if let streamed = session.streamed {
                streams[streamed.framing, default: 0] += 1
            } else {
                switch session.encoding {
                case .json: json += 1
                case .protobuf: protobuf += 1
                }
            }
        case .socketReader(let session):
            switch session.content {
            case .cloudEvents: cloudEvents += 1
            case .topic(let socket): sockets[socket.name, default: 0] += 1
            }
        case .echo: echo += 1
        case .eventStream: eventStream += 1
        }
    }

    package static func += (sum: inout OpenConnections, other: OpenConnections) {
        sum.http += other.http
        sum.json += other.json
        sum.streams.merge(other.streams, uniquingKeysWith: +)
        sum.protobuf += other.protobuf
        sum.cloudEvents += other.cloudEvents
        sum.sockets.merge(other.sockets, uniquingKeysWith: +)
        sum.echo += other.echo
        sum.eventStream += other.eventStream
    }
}
