/// What it takes to go on with another configuration.
package enum ConfigurationChange: Equatable, Sendable {
    /// Nothing: the two are the same.
    case nothing
    /// The process goes on with these keys' values.
    case reload([String])
    /// These keys hold for the life of a process. Others may have changed, too.
    case needsRestart([String])

    package static func between(
        _ former: Configuration,
        _ latter: Configuration
    ) -> ConfigurationChange {
        var places: [ConfigurationPlace] = []
        Configuration.compare(former, latter, .root, &places)
        guard !places.isEmpty else { return .nothing }
        // A key that stands in neither table is not known to be safe.
        let fixed = places.filter { !reloadable.contains($0.key) }
        return fixed.isEmpty ? .reload(places.map(\.path)) : .needsRestart(fixed.map(\.path))
    }

    /// The keys whose values a running hub can change. With those of `fixed` they are all.
    static let reloadable: Set<String> = [
        "log_level",
        "limits.header_bytes", "limits.body_bytes", "limits.message_bytes", "limits.frame_bytes",
        "limits.connect_bytes", "limits.message_timeout",
        "limits.fragments", "limits.control_frames", "limits.handshake_timeout",
        "limits.idle_timeout", "limits.close_timeout", "limits.subscriptions",
        "limits.unpublished_topics",
        "limits.connections_per_user", "limits.subscriptions_per_user", "limits.handshakes",
        "limits.turn_accepts", "limits.turn_work",
        "rates.connection.commands", "rates.connection.publishes",
        "rates.user.connects", "rates.user.commands", "rates.user.publishes",
        "rates.address.connects", "rates.address.commands", "rates.address.publishes",
        "rates.address.logins",
        "drain.spread", "drain.timeout",
        "tokens.secrets", "tokens.public_keys", "tokens.jwks_file", "tokens.audience",
        "tokens.issuer", "tokens.leeway", "tokens.required", "tokens.require_exp",
        "api.keys",
        "http.allowed_origins",
        "websocket.ping_interval", "websocket.pong_timeout",
        "event_stream.heartbeat", "event_stream.retry",
        "namespaces[].name", "namespaces[].history_size", "namespaces[].history_bytes",
        "namespaces[].history_age", "namespaces[].forget_after",
        "namespaces[].max_topics", "namespaces[].max_topics_per_publisher",
        "namespaces[].recovery", "namespaces[].presence", "namespaces[].join_leave",
        "namespaces[].delta", "namespaces[].anonymous_subscribe", "namespaces[].subscribe",
        "namespaces[].members",
        "namespaces[].owner",
        "namespaces[].publish", "namespaces[].slow_consumer",
    ]

    /// The keys and sections whose values are built into what a process opens when it starts: listeners,
    /// the store, the tables of the loops, the pools of compression, the upstreams.
    static let fixed: Set<String> = [
        "listen", "database", "synchronous", "development", "loops", "log_format",
        "tls", "tls.certificate", "tls.key", "tls.certificates[].certificate",
        "tls.certificates[].key", "tls.client_certificates", "tls.client_ca",
        "clock", "clock.start", "clock.speed",
        "limits.memory", "limits.queue_bytes", "limits.stall_timeout", "limits.user_timeout",
        "limits.connections", "limits.connections_per_address", "limits.turn_writes",
        "tokens.jwks_url",
        "websocket.compression.enabled", "websocket.compression.level",
        "websocket.compression.message_bytes_min", "websocket.compression.server_window_bits",
        "websocket.compression.client_window_bits",
        "websocket.compression.server_context_takeover",
        "websocket.compression.client_context_takeover",
        "namespaces[].durable",
        "aurora", "aurora.places[].id", "aurora.places[].name", "aurora.places[].latitude",
        "aurora.places[].longitude", "aurora.places[].altitude", "aurora.swpc_url",
        "aurora.metno_url", "aurora.user_agent", "aurora.intervals.solar_wind",
        "aurora.intervals.solar_wind_day", "aurora.intervals.kp_minutes", "aurora.intervals.kp",
        "aurora.intervals.kp_forecast", "aurora.intervals.ovation", "aurora.intervals.weather",
        "aurora.intervals.scales", "aurora.intervals.bulletins",
        "aurora.levels.low", "aurora.levels.moderate", "aurora.levels.good",
        "aurora.levels.excellent", "aurora.levels.margin",
        "aurora.places[].time_zone", "aurora.api_keys", "aurora.tiers[].name",
        "aurora.tiers[].requests_per_hour",
        "radar", "radar.interval", "radar.watched_interval", "radar.cache_age",
        "radar.refresh_interval", "radar.refreshes_per_minute", "radar.radars_per_user",
        "radar.polls_at_once", "radar.creations_per_minute", "radar.user_share_percent",
        "radar.sources[].name", "radar.sources[].kind",
        "radar.sources[].url", "radar.sources[].model", "radar.sources[].vendor",
        "radar.sources[].key", "radar.sources[].key_file", "radar.sources[].key_env",
        "radar.sources[].daily_tokens", "radar.sources[].daily_requests",
        "radar.sources[].concurrency", "radar.sources[].trust", "radar.sources[].timeout",
        "radar.sources[].mapping", "radar.sources[].mapping.items",
        "radar.sources[].mapping.id", "radar.sources[].mapping.stance",
        "radar.sources[].mapping.confidence", "radar.sources[].mapping.content",
        "radar.sources[].mapping.author", "radar.sources[].mapping.model",
        "radar.sources[].mapping.reasoning", "radar.sources[].mapping.for",
        "radar.sources[].mapping.against", "radar.sources[].mapping.neutral",
        "activity", "activity.apple.client_ids", "activity.apple.issuer",
        "activity.apple.keys_url", "activity.apple.keys_file",
        "activity.access_token_lifetime", "activity.refresh_token_lifetime",
        "activity.requests_per_minute", "activity.writes_per_minute", "activity.fanout_in_act",
        "activity.recompute_interval", "activity.recommendations", "activity.friends_max",
        "activity.catalogue",
        "alerts[].name", "alerts[].topics", "alerts[].when", "alerts[].until", "alerts[].hold",
        "alerts[].keep", "alerts[].cooldown", "alerts[].severity",
        "alerts[].escalate[].severity", "alerts[].escalate[].when",
        "alerts[].quiet", "alerts[].quiet.from", "alerts[].quiet.to", "alerts[].quiet.zone",
        "alert_limits.rules", "alert_limits.user_rules", "alert_limits.rules_per_user",
        "alert_limits.topics", "alert_limits.user_topics", "alert_limits.topics_per_user",
        "alert_limits.waiting_bytes", "alert_limits.user_waiting_bytes",
        "webhooks[].name", "webhooks[].url", "webhooks[].secret", "webhooks[].secret_file",
        "webhooks[].secret_env", "webhooks[].types", "webhooks[].topics",
        "webhooks[].severities", "webhooks[].timeout", "webhooks[].rate",
        "webhook_limits.allow_addresses", "webhook_limits.ports", "webhook_limits.subscriptions",
        "webhook_limits.waiting", "webhook_limits.waiting_age",
        "webhook_limits.secret_key_file", "webhook_limits.secret_key_env",
    ]
}
