extension Configuration.Limits: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Limits>] {
        [
            .scalar("memory", \.memory, .byteCount(32 << 20...1 << 40), reload: .restart),
            // The request line alone may take 8 KiB.
            .scalar("header_bytes", \.headerBytes, .byteCount(9 << 10...1 << 20), reload: .live),
            .scalar("body_bytes", \.bodyBytes, .byteCount(1 << 10...64 << 20), reload: .live),
            .scalar("message_bytes", \.messageBytes, .byteCount(1 << 10...64 << 20), reload: .live),
            .scalar("connect_bytes", \.connectBytes, .byteCount(1 << 10...64 << 20), reload: .live),
            .scalar(
                "message_timeout",
                \.messageTimeout,
                .duration(.seconds(1) ... .seconds(3600)),
                reload: .live
            ),
            .scalar(
                "queue_bytes",
                \.queueBytes,
                .byteCount(16 << 10...256 << 20),
                reload: .restart
            ),
            .scalar(
                "handshake_timeout",
                \.handshakeTimeout,
                .duration(.seconds(1) ... .seconds(120)),
                reload: .live
            ),
            .scalar(
                "idle_timeout",
                \.idleTimeout,
                .duration(.seconds(1) ... .seconds(3600)),
                reload: .live
            ),
            .scalar(
                "close_timeout",
                \.closeTimeout,
                .duration(.seconds(1) ... .seconds(120)),
                reload: .live
            ),
            .scalar(
                "stall_timeout",
                \.stallTimeout,
                .duration(.seconds(1) ... .seconds(600)),
                reload: .restart
            ),
            .scalar(
                "user_timeout",
                \.userTimeout,
                .duration(.seconds(1) ... .seconds(3600)),
                reload: .restart
            ),
            .scalar("frame_bytes", \.frameBytes, .byteCount(1 << 10...64 << 20), reload: .live),
            .scalar("fragments", \.fragments, .integer(1...1 << 30), reload: .live),
            .scalar("control_frames", \.controlFrames, .integer(1...1_000_000), reload: .live),
            .scalar("connections", \.connections, .integer(1...1_000_000), reload: .restart),
            .scalar(
                "connections_per_address",
                \.connectionsPerAddress,
                .integer(1...1_000_000),
                reload: .restart
            ),
            .scalar("subscriptions", \.subscriptions, .integer(1...1_000_000), reload: .live),
            .scalar(
                "unpublished_topics",
                \.unpublishedTopics,
                .integer(1...10_000_000),
                reload: .live
            ),
            .scalar(
                "connections_per_user",
                \.connectionsPerUser,
                .integer(0...1_000_000),
                reload: .live
            ),
            .scalar(
                "subscriptions_per_user",
                \.subscriptionsPerUser,
                .integer(0...1_000_000),
                reload: .live
            ),
            .scalar("handshakes", \.handshakes, .integer(0...1_000_000), reload: .live),
            .scalar("turn_writes", \.turnWrites, .integer(1...1_000_000), reload: .restart),
            .scalar("turn_accepts", \.turnAccepts, .integer(1...4096), reload: .live),
            .scalar("turn_work", \.turnWork, .byteCount(1 << 10...64 << 20), reload: .live),
        ]
    }
}
