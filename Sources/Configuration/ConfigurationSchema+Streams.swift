extension Configuration.WebSocket: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.WebSocket>] {
        [
            .scalar(
                "ping_interval",
                \.pingInterval,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .live,
                meaning: "From one ping to the next."
            ),
            .scalar(
                "pong_timeout",
                \.pongTimeout,
                .duration(.milliseconds(100) ... .seconds(300)),
                reload: .live,
                meaning: """
                    The time in which a client has to answer a ping; less than `ping_interval`. It \
                    begins when the client's side has received everything that was queued before \
                    the ping: until then, the client has to read 4 KiB in each \
                    `limits.stall_timeout`. Reading as much counts as the answer.
                    """
            ),
            .section("compression", \.compression),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        guard pongTimeout >= pingInterval else { return [] }
        let found = UnitText.text(pongTimeout)
        let interval = UnitText.text(pingInterval)
        return [("pong_timeout", "found \(found), expected less than ping_interval, \(interval)")]
    }
}

extension Configuration.Compression: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Compression>] {
        [
            .scalar(
                "enabled",
                \.enabled,
                .flag,
                reload: .restart,
                meaning: "Agrees to permessage-deflate (RFC 7692) with clients that offer it."
            ),
            .scalar(
                "level",
                \.level,
                .integer(1...9),
                reload: .restart,
                meaning: "zlib's level, from 1 (fastest) to 9 (smallest)."
            ),
            .scalar(
                "message_bytes_min",
                \.messageBytesMin,
                .byteCount(0...1 << 20),
                reload: .restart,
                meaning: "Shorter messages are sent as they are."
            ),
            // zlib cannot compress with a window of 8 bits; a client that requests 8 still gets it.
            .scalar(
                "server_window_bits",
                \.serverWindowBits,
                .integer(9...15),
                reload: .restart,
                meaning: "The largest window for messages that the hub sends."
            ),
            .scalar(
                "client_window_bits",
                \.clientWindowBits,
                .integer(9...15),
                reload: .restart,
                meaning: "The largest window for messages that clients send."
            ),
            .scalar(
                "server_context_takeover",
                \.serverContextTakeover,
                .flag,
                reload: .restart,
                meaning: """
                    Replies may refer to earlier messages; costs up to 150 KiB a client, and \
                    publications go to it uncompressed, because they are compressed once for all.
                    """
            ),
            .scalar(
                "client_context_takeover",
                \.clientContextTakeover,
                .flag,
                reload: .restart,
                meaning: """
                    Messages of clients may refer to earlier ones; costs up to 39 KiB a client.
                    """
            ),
        ]
    }
}

extension Configuration.EventStream: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.EventStream>] {
        [
            .scalar(
                "heartbeat",
                \.heartbeat,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .live,
                meaning: "The interval of comments that keep proxies from closing the stream."
            ),
            .scalar(
                "retry",
                \.retry,
                .duration(.milliseconds(100) ... .seconds(600)),
                reload: .live,
                meaning: """
                    The time that clients wait before they reconnect; each receives a slightly \
                    different time.
                    """
            ),
        ]
    }
}
