extension Configuration {
    /// The trace context of requests that the hub sends (W3C Trace Context).
    package struct Tracing: Equatable, Sendable {
        package var upstreams = true
        package var sampled = false

        package init() {}
    }
}

extension Configuration.Tracing: ConfigurationSection {
    package static var fields: [ConfigurationField<Configuration.Tracing>] {
        [
            .scalar(
                "upstreams",
                \.upstreams,
                .flag,
                reload: .restart,
                meaning: """
                    Whether requests to feeds, providers and key sets have the header `traceparent`. It continues the \
                    trace of the request that causes them; polls begin a trace.
                    """
            ),
            .scalar(
                "sampled",
                \.sampled,
                .flag,
                reload: .restart,
                meaning: "The flag `sampled` of traces that the hub begins."
            ),
        ]
    }
}
