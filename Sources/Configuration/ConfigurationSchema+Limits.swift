extension Configuration.History: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.History>] {
        [
            .scalar(
                "memory",
                \.memory,
                .byteCount(1 << 20...1 << 40),
                reload: .restart,
                meaning: """
                    The memory for histories of durable topics, at most half of `limits.memory`. Those \
                    that were not used for longest are dropped, and read from the store when they are \
                    needed; one topic has at most half of this.
                    """
            )
        ]
    }
}

extension Configuration.Limits: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Limits>] {
        requestFields + messageFields + timeoutFields + connectionFields + subscriptionFields
            + turnFields
    }

    private static var requestFields: [ConfigurationField<Configuration.Limits>] {
        [
            .scalar(
                "memory",
                \.memory,
                .byteCount(32 << 20...1 << 40),
                reload: .restart,
                meaning: """
                    The memory that all peers together may occupy: unfinished messages, queues, \
                    histories, tables of topics and subscriptions, alert boards. Anonymous peers \
                    may fill three quarters of it, users nine tenths; the rest is reserved for the \
                    server API and the configuration. Idle connections are not counted: \
                    `limits.connections` bounds those.
                    """
            ),
            // The request line by itself may take up 8 KiB.
            .scalar(
                "header_bytes",
                \.headerBytes,
                .byteCount(9 << 10...1 << 20),
                reload: .live,
                meaning: "The longest head of an HTTP request, request line included."
            ),
            .scalar(
                "body_bytes",
                \.bodyBytes,
                .byteCount(1 << 10...64 << 20),
                reload: .live,
                meaning: "The longest body of an HTTP request."
            ),
        ]
    }

    private static var messageFields: [ConfigurationField<Configuration.Limits>] {
        [
            .scalar(
                "message_bytes",
                \.messageBytes,
                .byteCount(1 << 10...64 << 20),
                reload: .live,
                meaning: "The longest WebSocket message from a client, all fragments together."
            ),
            .scalar(
                "connect_bytes",
                \.connectBytes,
                .byteCount(1 << 10...64 << 20),
                reload: .live,
                meaning: """
                    The longest message, inflated, of a client whose connect command is not answered \
                    yet: its token, its positions, and the commands that it sends in the same \
                    message. Also the longest from a reader of events, which has nothing to send.
                    """
            ),
            .scalar(
                "message_timeout",
                \.messageTimeout,
                .duration(.seconds(1) ... .seconds(3600)),
                reload: .live,
                meaning: """
                    From the first frame of a WebSocket message to its end; a message that takes \
                    longer closes its WebSocket with 1008.
                    """
            ),
            .scalar(
                "queue_bytes",
                \.queueBytes,
                .byteCount(16 << 10...256 << 20),
                reload: .restart,
                meaning: """
                    Bytes that may wait for a client that does not read; one byte more ends its \
                    connection. A client therefore needs a link as fast as its topics are on \
                    average. Bursts of this size, and recoveries of half of it, may take any time. \
                    An HTTP answer may be longer: it is sent in pieces.
                    """
            ),
        ]
    }

    private static var timeoutFields: [ConfigurationField<Configuration.Limits>] {
        [
            .scalar(
                "handshake_timeout",
                \.handshakeTimeout,
                .duration(.seconds(1) ... .seconds(120)),
                reload: .live,
                meaning: """
                    From the accepted connection to the end of the first request, TLS handshake \
                    included.
                    """
            ),
            .scalar(
                "idle_timeout",
                \.idleTimeout,
                .duration(.seconds(1) ... .seconds(3600)),
                reload: .live,
                meaning: "Between two requests of an HTTP connection."
            ),
            .scalar(
                "close_timeout",
                \.closeTimeout,
                .duration(.seconds(1) ... .seconds(120)),
                reload: .live,
                meaning: "From the hub's close frame to the client's."
            ),
            .scalar(
                "stall_timeout",
                \.stallTimeout,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .restart,
                meaning: """
                    The longest time in which a client may read less than 4 KiB of an answer, of the \
                    data queued for it while its connection is being closed, or of the data before \
                    a ping that it has not answered.
                    """
            ),
            .scalar(
                "user_timeout",
                \.userTimeout,
                .duration(.seconds(1) ... .seconds(3600)),
                reload: .restart,
                meaning: """
                    The longest time for which sent bytes may stay unacknowledged before the \
                    connection is closed (RFC 5482).
                    """
            ),
        ]
    }

    private static var connectionFields: [ConfigurationField<Configuration.Limits>] {
        [
            .scalar(
                "frame_bytes",
                \.frameBytes,
                .byteCount(1 << 10...64 << 20),
                reload: .live,
                meaning: """
                    The longest WebSocket data frame from a client; never more than `message_bytes`. \
                    A frame of a compressed message may be a sixteenth longer, because \
                    incompressible data get longer.
                    """
            ),
            .scalar(
                "fragments",
                \.fragments,
                .integer(1...1 << 30),
                reload: .live,
                meaning: "The most frames of one WebSocket message."
            ),
            .scalar(
                "control_frames",
                \.controlFrames,
                .integer(1...1_000_000),
                reload: .live,
                meaning: """
                    Pings and pongs of one client in one second; one more closes its WebSocket with \
                    1008.
                    """
            ),
            .scalar(
                "connections",
                \.connections,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: """
                    All connections together, and at most the process's open-file limit less 64; one \
                    more is answered 503 with `Retry-After`, or with TLS closed at once.
                    """
            ),
            .scalar(
                "connections_per_address",
                \.connectionsPerAddress,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: """
                    Connections of one IPv4 address or one IPv6 network of 64 bits; one more is \
                    answered likewise. Behind a proxy all clients have the proxy's address.
                    """
            ),
        ]
    }

    private static var subscriptionFields: [ConfigurationField<Configuration.Limits>] {
        [
            .scalar(
                "subscriptions",
                \.subscriptions,
                .integer(1...1_000_000),
                reload: .live,
                meaning: "Subscriptions of one connection; one more is answered with error 106."
            ),
            .scalar(
                "unpublished_topics",
                \.unpublishedTopics,
                .integer(1...10_000_000),
                reload: .live,
                meaning: """
                    Topics without a publication, of one event loop, that subscribers may create by \
                    subscribing; a subscription to one more is answered with error 111, an event \
                    stream with 503. Topics with publications are not counted, and can always be \
                    subscribed to. Half of the places are divided equally between the namespaces, so \
                    that subscriptions to one cannot refuse those to another; the other half is for \
                    those that need more.
                    """
            ),
            .scalar(
                "connections_per_user",
                \.connectionsPerUser,
                .integer(0...1_000_000),
                reload: .live,
                meaning: "Connections of one user; one more is closed with 3504. 0 for no limit."
            ),
            .scalar(
                "subscriptions_per_user",
                \.subscriptionsPerUser,
                .integer(0...1_000_000),
                reload: .live,
                meaning: """
                    Subscriptions of all connections of one user; one more is answered with error \
                    106. 0 for no limit.
                    """
            ),
            .scalar(
                "handshakes",
                \.handshakes,
                .integer(0...1_000_000),
                reload: .live,
                meaning: """
                    New WebSockets and event streams of all addresses together in one second; one \
                    more is answered 503 with `Retry-After`. 0 for no limit. With a limit, a flood \
                    from many addresses also turns all other clients away.
                    """
            ),
        ]
    }

    private static var turnFields: [ConfigurationField<Configuration.Limits>] {
        [
            .scalar(
                "turn_writes",
                \.turnWrites,
                .integer(1...1_000_000),
                reload: .restart,
                meaning: """
                    Writes of one turn of an event loop; a larger fan-out goes on in the next turn.
                    """
            ),
            .scalar(
                "turn_accepts",
                \.turnAccepts,
                .integer(1...4096),
                reload: .live,
                meaning: """
                    Connections taken from one listener in one turn; the rest wait for the next.
                    """
            ),
            .scalar(
                "turn_work",
                \.turnWork,
                .byteCount(1 << 10...64 << 20),
                reload: .live,
                meaning: """
                    The work of one turn for one client: bytes of its messages, inflated, and of the \
                    answers to them; a call that looks through many topics counts for more than its \
                    answer. The first command or echo beyond it is the client's last in that turn. \
                    With the shortest commands, 128 KiB take four milliseconds.
                    """
            ),
        ]
    }
}
