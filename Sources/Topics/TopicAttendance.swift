/// The reports about the subscribers of a topic.
package struct TopicAttendance: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// That it has subscribers, or none.
    package static let topics = TopicAttendance(rawValue: 1)
    /// The users that subscribe to it.
    package static let members = TopicAttendance(rawValue: 2)
}

/// A subscription that began or ended, in a namespace whose subscribers are reported.
package struct SubscriberChange: Sendable, Equatable {
    package let subscriber: Int32
    package let topic: Topic
    package let isSubscribed: Bool
    package let attendance: TopicAttendance
}
