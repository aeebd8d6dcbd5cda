extension ServerAPIResult {
    /// Connections that receive publications.
    package struct ConnectionList: Sendable, Equatable {
        /// Those that are furthest behind come first.
        package var connections: [Connection]
        /// The number of matching connections, those that the limit left out included.
        package var total: Int

        package init(connections: [Connection], total: Int) {
            self.connections = connections
            self.total = total
        }
    }

    /// One connection that receives publications.
    package struct Connection: Sendable, Equatable {
        /// The client's id.
        package var id: String
        /// Empty without credentials.
        package var user: String
        /// The name of the API key that opened it; nil without one.
        package var key: String?
        package var address: String
        package var transport: Transport
        /// The encoding, or the name of the topic socket.
        package var wireProtocol: String
        package var connectedAt: Timestamp
        package var topicCount: Int
        /// Bytes that wait until the client reads.
        package var queuedBytes: Int
        /// Bytes that the kernel has sent; nil for a Unix socket.
        package var sentBytes: UInt64?
        /// The last time from a ping to its answer; nil before the first answer, and for streams
        /// without pings.
        package var roundTrip: Duration?
        package var isSlow: Bool
        /// Publications lost because the client reads too slowly; nil for readers with a cursor,
        /// whose losses are gaps of unknown length.
        package var droppedCount: UInt64?

        package init(
            id: String,
            user: String,
            key: String? = nil,
            address: String,
            transport: Transport,
            wireProtocol: String,
            connectedAt: Timestamp,
            topicCount: Int,
            queuedBytes: Int,
            sentBytes: UInt64?,
            roundTrip: Duration?,
            isSlow: Bool,
            droppedCount: UInt64?
        ) {
            self.id = id
            self.user = user
            self.key = key
            self.address = address
            self.transport = transport
            self.wireProtocol = wireProtocol
            self.connectedAt = connectedAt
            self.topicCount = topicCount
            self.queuedBytes = queuedBytes
            self.sentBytes = sentBytes
            self.roundTrip = roundTrip
            self.isSlow = isSlow
            self.droppedCount = droppedCount
        }
    }

    /// The way in which a connection receives publications.
    package enum Transport: String, Sendable, CaseIterable {
        case webSocket = "websocket"
        case httpStream = "http_stream"
        case sse
        case eventStream = "event_stream"
        case cloudEvents = "cloudevents"
        case topicSocket = "topic_socket"
    }
}

extension ServerAPIResult.ConnectionList {
    func writeFields(to json: inout JSONWriter) {
        json.object("connections") { json in
            for connection in connections {
                json.object(connection.id) { connection.writeFields(to: &$0) }
            }
        }
        json.field("total", total)
    }
}

extension ServerAPIResult.Connection {
    fileprivate func writeFields(to json: inout JSONWriter) {
        json.field("user", user)
        if let key { json.field("key", key) }
        json.field("address", address)
        json.field("transport", transport.rawValue)
        json.field("protocol", wireProtocol)
        json.field("connected_at", connectedAt.milliseconds / 1000)
        json.field("channels", topicCount)
        json.field("queued", queuedBytes)
        if let sentBytes { json.field("sent", sentBytes) } else { json.null("sent") }
        json.field("round_trip", roundTrip?.inSeconds)
        json.field("slow", isSlow)
        if let droppedCount { json.field("dropped", droppedCount) } else { json.null("dropped") }
    }
}
