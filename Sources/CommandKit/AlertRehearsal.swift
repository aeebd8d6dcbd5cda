import Alerting
import Configuration
import PubSub
import Replay
import Timekeeping

/// Plays a recording of a domain's upstreams to the alert rules of a configuration.
package protocol AlertRehearsal: SendableMetatype {
    /// Nil without the domain's section.
    ///
    /// - Throws: `ConfigurationError` for rules that do not hold up, or a wrong section.
    init?(
        _ loaded: LoadedConfiguration,
        recording: Recording,
        vocabulary: AlertVocabulary
    ) throws

    /// Plays the time from `start` up to `end`, and reports each alert event as it comes.
    ///
    /// - Returns: how many answers could not be used: recordings have faults, too.
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
