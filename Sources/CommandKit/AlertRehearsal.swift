import Replay

/// Tests the alert rules of a configuration with a recording of a domain's upstreams.
package protocol AlertRehearsal: SendableMetatype {
    /// Nil if the configuration lacks the domain's section.
    ///
    /// - Throws: `ConfigurationError` for invalid rules or an invalid section.
    init?(
        _ loaded: LoadedConfiguration,
        recording: Recording,
        vocabulary: AlertVocabulary
    ) throws

    /// Plays the time from `start` up to `end`, and reports each alert event as it occurs.
    ///
    /// - Returns: the number of answers that could not be used, because recordings also contain
    ///   faults.
    mutating func run(
        from start: Timestamp,
        until end: Timestamp,
        report: (RehearsedAlert) -> Void
    ) -> Int
}

/// An alert event of a rehearsal.
package struct RehearsedAlert: Sendable, CustomStringConvertible {
    package let time: Timestamp
    package let topic: Topic
    package let event: Event

    package init(time: Timestamp, topic: Topic, event: Event) {
        self.time = time
        self.topic = topic
        self.event = event
    }

    /// `2024-12-09T17:42:00Z aurora:tromso:alerts aurora.alert.raised {…}`
    package var description: String {
        let data = String(decoding: event.data, as: UTF8.self)
        return "\(time.iso8601Seconds) \(topic) \(event.type) \(data)"
    }
}
