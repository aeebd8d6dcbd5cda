import Tokens

extension Configuration.Namespace: ConfigurationSection {
    static var fields: [ConfigurationField<Configuration.Namespace>] {
        [
            .scalar("name", \.name, .name(example: "chat"), isRequired: true, reload: .live),
            .scalar("durable", \.durable, .flag, reload: .restart),
            .scalar("history_size", \.historySize, .integer(0...100_000), reload: .live),
            .scalar("history_bytes", \.historyBytes, .byteCount(1 << 10...1 << 40), reload: .live),
            .scalar(
                "history_age",
                \.historyAge,
                .duration(.seconds(1) ... .seconds(365 * 86_400)),
                reload: .live
            ),
            .scalar(
                "forget_after",
                \.forgetAfter,
                .duration(.zero ... .seconds(3650 * 86_400)),
                reload: .live
            ),
            .scalar("max_topics", \.maxTopics, .integer(10...262_144), reload: .live),
            .scalar(
                "max_topics_per_publisher",
                \.maxTopicsPerPublisher,
                .integer(1...262_144),
                reload: .live
            ),
            .scalar("recovery", \.recovery, .choice(), reload: .live),
            .scalar("presence", \.presence, .flag, reload: .live),
            .scalar("join_leave", \.joinLeave, .flag, reload: .live),
            .scalar("delta", \.delta, .flag, reload: .live),
            .scalar("anonymous_subscribe", \.anonymousSubscribe, .flag, reload: .live),
            .scalar("subscribe", \.subscribe, .choice(), reload: .live),
            .list(
                "members",
                \.members,
                .pattern("group", separator: ":", example: "\"staff:*\""),
                counts: 0...64,
                reload: .live
            ),
            .optional("owner", \.owner, .text(example: "\"inbox:{userId}:*\""), reload: .live),
            .scalar("publish", \.publish, .choice(), reload: .live),
            .scalar("slow_consumer", \.slowConsumer, .choice(), reload: .live),
        ]
    }

    /// An idempotency key is remembered for as long, and its topic with it.
    private static let forgetAfterMin = Duration.seconds(300)

    func contradictions() -> [(path: String, message: String)] {
        var found: [(path: String, message: String)] = []
        if forgetAfter > .zero, forgetAfter < Self.forgetAfterMin {
            found.append(
                (
                    "forget_after",
                    "found \(UnitText.text(forgetAfter)), expected 5m or more, or 0s for never"
                )
            )
        }
        if anonymousSubscribe, subscribe == .nobody {
            found.append(
                (
                    "subscribe",
                    "found nobody, expected another: anonymous_subscribe lets everybody subscribe"
                )
            )
        }
        if subscribe == .members, members.isEmpty {
            found.append(("subscribe", "found members, expected the groups in members beside it"))
        }
        if let owner, OwnerPattern(owner) == nil || !owner.hasPrefix(name + ":") {
            found.append(
                (
                    "owner",
                    "found \"\(owner)\", expected a topic of the namespace with {userId} as one part,"
                        + " such as \(name):{userId}"
                )
            )
        }
        if historySize == 0 {
            if slowConsumer != .close {
                found.append(
                    (
                        "slow_consumer",
                        "found \(slowConsumer.rawValue), expected close: history_size is 0, so there is"
                            + " nothing to catch up from"
                    )
                )
            }
            if recovery == .cache {
                found.append(("recovery", "found cache, expected a history_size of 1 or more"))
            }
            if delta {
                found.append(("delta", "found true, expected a history_size of 1 or more"))
            }
        }
        return found
    }
}
