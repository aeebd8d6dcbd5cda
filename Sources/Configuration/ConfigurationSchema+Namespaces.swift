extension Configuration.Namespace: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Namespace>] {
        identityFields + historyFields + topicFields + subscriptionFields + accessFields
            + publishingFields + hookFields + [lifecycleField]
    }

    private static var identityFields: [ConfigurationField<Configuration.Namespace>] {
        [
            .scalar(
                "name",
                \.name,
                .name(example: "chat"),
                isRequired: true,
                reload: .live,
                meaning: "`chat` for the topics `chat:…`."
            ),
            .scalar(
                "durable",
                \.durable,
                .flag,
                reload: .restart,
                meaning: "Publications survive a restart; otherwise they are kept only in memory."
            ),
        ]
    }

    private static var historyFields: [ConfigurationField<Configuration.Namespace>] {
        [
            .scalar(
                "history_size",
                \.historySize,
                .integer(0...100_000),
                reload: .live,
                meaning: """
                    Publications of a topic that are kept for recovery; 0 keeps none: publications \
                    then have no offsets, and a recovering subscriber gets a gap.
                    """
            ),
            .scalar(
                "history_bytes",
                \.historyBytes,
                .byteCount(1 << 10...1 << 40),
                reload: .live,
                meaning: """
                    Bytes of a topic's publications that are kept, with their tags and about 64 \
                    bytes for each; beyond it the oldest are evicted, and subscribers with older \
                    positions get a gap. The newest publication stays, however long it is. All \
                    histories together have half of `limits.memory`, those of topics that clients \
                    may publish to a quarter.
                    """
            ),
            .scalar(
                "history_age",
                \.historyAge,
                .duration(.seconds(1) ... .seconds(365 * 86_400)),
                reload: .live,
                meaning: "The longest time for which they are kept."
            ),
            .scalar(
                "forget_after",
                \.forgetAfter,
                .duration(.zero ... .seconds(3650 * 86_400)),
                reload: .live,
                meaning: """
                    The time after its last publication at which an unused topic is forgotten: a \
                    topic without subscribers, whose history is empty. Its versions and counters \
                    are also deleted. If it comes back, its offsets begin at 1 in another epoch, \
                    and older positions get a gap. 5m or more; 0s for never.
                    """
            ),
        ]
    }

    private static var topicFields: [ConfigurationField<Configuration.Namespace>] {
        [
            .scalar(
                "max_topics",
                \.maxTopics,
                .integer(10...262_144),
                reload: .live,
                meaning: """
                    Topics that the namespace may have in memory, with `durable: false`. Clients may \
                    create nine tenths of them; the rest is reserved for the server API. A \
                    publication to one more topic gets error 106.
                    """
            ),
            .scalar(
                "max_topics_per_publisher",
                \.maxTopicsPerPublisher,
                .integer(1...262_144),
                reload: .live,
                meaning: """
                    Topics that one user may create from all its connections, or one address \
                    without users (an IPv6 address counts as its /64 network). A publication to \
                    one more topic gets error 106. A deleted topic no longer counts.
                    """
            ),
            .scalar(
                "recovery",
                \.recovery,
                .choice(),
                reload: .live,
                meaning: """
                    The publications that a reconnecting client gets: `stream`, everything that it \
                    missed; `cache`, only the latest.
                    """
            ),
        ]
    }

    private static var subscriptionFields: [ConfigurationField<Configuration.Namespace>] {
        [
            .scalar(
                "presence",
                \.presence,
                .flag,
                reload: .live,
                meaning: "Subscribers may query the other subscribers."
            ),
            .scalar(
                "join_leave",
                \.joinLeave,
                .flag,
                reload: .live,
                meaning: "Subscribers that ask for it are notified when others join and leave."
            ),
            .scalar(
                "delta",
                \.delta,
                .flag,
                reload: .live,
                meaning: """
                    Subscribers that ask for it get the difference from the previous publication \
                    (Fossil delta), where the publisher allows it.
                    """
            ),
        ]
    }

    private static var accessFields: [ConfigurationField<Configuration.Namespace>] {
        [
            .scalar(
                "anonymous_subscribe",
                \.anonymousSubscribe,
                .flag,
                reload: .live,
                meaning: "Lets clients without credentials subscribe."
            ),
            .scalar(
                "subscribe",
                \.subscribe,
                .choice(),
                reload: .live,
                meaning: """
                    The other clients that may subscribe. `token`: only those with a token for the \
                    topic. In addition to these, `owner` admits the topic's user, `members` \
                    clients with a group of `members`, and `users` every client with a connection \
                    token. `nobody`: no client, with any token.
                    """
            ),
            .list(
                "members",
                \.members,
                .pattern("group", separator: ":", example: "\"staff:*\""),
                counts: 0...64,
                reload: .live,
                meaning: """
                    Groups, as the claim `groups` of tokens names them; `"staff:*"` is all groups \
                    with that prefix.
                    """
            ),
            .optional(
                "owner",
                \.owner,
                .text(example: "\"inbox:{userId}:*\""),
                reload: .live,
                meaning: """
                    The user who owns a topic, for `owner`: a topic with `{userId}` as one part, \
                    `"inbox:{userId}:*"` for all below. By default it is the part after the \
                    namespace: `inbox:42` is user 42's.
                    """
            ),
        ]
    }

    private static var publishingFields: [ConfigurationField<Configuration.Namespace>] {
        [
            .scalar(
                "publish",
                \.publish,
                .choice(),
                reload: .live,
                meaning: """
                    The clients that may publish. `owner`, `users` and `anyone` need no \
                    subscription. The server API may always publish.
                    """
            ),
            .scalar(
                "slow_consumer",
                \.slowConsumer,
                .choice(),
                reload: .live,
                meaning: """
                    The treatment of a subscriber that does not read. `close` ends its connection \
                    when `limits.queue_bytes` are full. Otherwise the topic is held for it: when \
                    it reads again it gets the missed publications from the history or, if these \
                    are too many, a gap; with `latest_per_key` it gets the latest publication of \
                    each value of the tag `key`.
                    """
            ),
        ]
    }

    /// Idempotency keys, and thus their topics, are kept for this time.
    private static let forgetAfterMin = Duration.seconds(300)

    package func contradictions() -> [(path: String, message: String)] {
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
                    "found nobody, expected another: anonymous_subscribe lets every client subscribe"
                )
            )
        }
        if subscribe == .members, members.isEmpty {
            found.append(("subscribe", "found members, expected groups in members"))
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
        if hooks.cacheEmpty != nil, recovery != .cache {
            found.append(("cache_empty_hook", "expected recovery: cache as well"))
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

extension Configuration.Clients: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Clients>] {
        hookFields + [
            .list(
                "lifecycle",
                \.lifecycle,
                .choice(),
                counts: 0...2,
                reload: .restart,
                meaning: """
                    The events about clients in the topic `hub:life`: `clients` for each connection, \
                    `users` for the first and the last connection of a user.
                    """
            ),
            .scalar(
                "leave_after",
                \.leaveAfter,
                .duration(.zero ... .seconds(3600)),
                reload: .restart,
                meaning: """
                    The time for which a user or a subscriber has to be away before it counts as \
                    gone. A shorter absence causes no event.
                    """
            ),
        ]
    }

    private static var hookFields: [ConfigurationField<Configuration.Clients>] {
        [
            .optional(
                "connect_hook",
                \.connectHook,
                .hookName,
                reload: .restart,
                meaning: """
                    The hook that is asked who a client is. A client with a valid connection token is \
                    not asked about.
                    """
            ),
            .optional(
                "refresh_hook",
                \.refreshHook,
                .hookName,
                reload: .restart,
                meaning: """
                    The hook that is asked whether a client may stay, when the time `expire_at` of \
                    the answer of `connect_hook` has come. Without it, the connection ends then.
                    """
            ),
            .map(
                "rpc_hooks",
                \.rpcHooks,
                keys: .pattern("method", separator: ".", example: "orders.*"),
                values: .hookName,
                counts: 0...256,
                reload: .restart,
                meaning: """
                    The hooks that answer calls of clients, by the name of the method or a common \
                    prefix: `orders.*`. The longest pattern counts. The methods `hub.*` are the \
                    hub's own; a method without a pattern gets error 104.
                    """
            ),
        ]
    }

    package func contradictions() -> [(path: String, message: String)] {
        var found: [(path: String, message: String)] = []
        if let hook = refreshHook, connectHook == nil {
            found.append(
                (
                    "refresh_hook",
                    "found \(hook), expected connect_hook as well: clients of tokens refresh with"
                        + " another token"
                )
            )
        }
        if let pattern = rpcHooks.keys.sorted().first(where: { $0.hasPrefix("hub.") }) {
            found.append(
                ("rpc_hooks", "found \(pattern), expected another: hub.* is the hub's own")
            )
        }
        return found
    }
}

extension Configuration.Namespace {
    static var lifecycleField: ConfigurationField<Configuration.Namespace> {
        .list(
            "lifecycle",
            \.lifecycle,
            .choice(),
            counts: 0...2,
            reload: .restart,
            meaning: """
                The events about its topics in the topic `hub:life:{name}`: `topics` for the first and \
                the last subscriber, `members` for the first and the last subscription of each user.
                """
        )
    }

    static var hookFields: [ConfigurationField<Configuration.Namespace>] {
        [
            .optional(
                "subscribe_hook",
                \.hooks.subscribe,
                .hookName,
                reload: .live,
                meaning: """
                    The hook that is asked about each subscription, unless the client has a valid \
                    subscription token. With `subscribe: token`, the default, only the hook decides; \
                    otherwise `subscribe` has to allow it as well.
                    """
            ),
            .optional(
                "sub_refresh_hook",
                \.hooks.subRefresh,
                .hookName,
                reload: .live,
                meaning: """
                    The hook that is asked whether a subscription lasts, when the time `expire_at` \
                    of the answer of `subscribe_hook` has come. Without it, the subscription ends \
                    then.
                    """
            ),
            .optional(
                "publish_hook",
                \.hooks.publish,
                .hookName,
                reload: .live,
                meaning: """
                    The hook that is asked about each publication of a client, and may change it. \
                    With `publish: nobody`, the default, only the hook decides; otherwise `publish` \
                    has to allow it as well.
                    """
            ),
            .optional(
                "cache_empty_hook",
                \.hooks.cacheEmpty,
                .hookName,
                reload: .live,
                meaning: """
                    The hook that is asked to publish to a topic without publications, when a \
                    client subscribes to it with recovery. Only with `recovery: cache`.
                    """
            ),
        ]
    }
}
