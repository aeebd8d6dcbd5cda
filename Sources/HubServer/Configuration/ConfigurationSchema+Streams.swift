extension Configuration.WebSocket: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.WebSocket>] {
        [
            .scalar(
                "ping_interval",
                \.pingInterval,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .live
            ),
            .scalar(
                "pong_timeout",
                \.pongTimeout,
                .duration(.milliseconds(100) ... .seconds(300)),
                reload: .live
            ),
            .section("compression", \.compression),
        ]
    }

    func contradictions() -> [(path: String, message: String)] {
        guard pongTimeout >= pingInterval else { return [] }
        let found = UnitText.text(pongTimeout)
        let interval = UnitText.text(pingInterval)
        return [("pong_timeout", "found \(found), expected less than ping_interval, \(interval)")]
    }
}

extension Configuration.Compression: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Compression>] {
        [
            .scalar("enabled", \.enabled, .flag, reload: .restart),
            .scalar("level", \.level, .integer(1...9), reload: .restart),
            .scalar(
                "message_bytes_min",
                \.messageBytesMin,
                .byteCount(0...1 << 20),
                reload: .restart
            ),
            // zlib cannot compress with a window of 8 bits; a client that asks for one gets it.
            .scalar("server_window_bits", \.serverWindowBits, .integer(9...15), reload: .restart),
            .scalar("client_window_bits", \.clientWindowBits, .integer(9...15), reload: .restart),
            .scalar("server_context_takeover", \.serverContextTakeover, .flag, reload: .restart),
            .scalar("client_context_takeover", \.clientContextTakeover, .flag, reload: .restart),
        ]
    }
}

extension Configuration.EventStream: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.EventStream>] {
        [
            .scalar(
                "heartbeat",
                \.heartbeat,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .live
            ),
            .scalar(
                "retry",
                \.retry,
                .duration(.milliseconds(100) ... .seconds(600)),
                reload: .live
            ),
        ]
    }
}
