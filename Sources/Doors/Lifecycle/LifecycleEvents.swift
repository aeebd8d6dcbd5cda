/// The events about who comes and goes: CloudEvents of the types in protocol/lifecycle.md.
extension LifecycleChange {
    /// The tag by which all events about a user can be erased.
    static let userTag = "user"

    /// Where the event is published.
    var topic: Topic {
        get throws {
            switch subject.kind {
            case .client, .user: .life
            case .topic, .member: try Topic(subject.name.text).life
            }
        }
    }

    var tags: [String: String] {
        subject.user.text.isEmpty ? [:] : [Self.userTag: subject.user.text]
    }

    /// - Parameter time: that of the log.
    func event(sequence: Int, at time: Timestamp, id: String) -> Event {
        var data = JSONWriter()
        data.object {
            $0.field("sequence", sequence)
            $0.field("observed_at", time.iso8601)
            switch subject.kind {
            case .client:
                $0.field("client", subject.name.text)
                $0.field("user", subject.user.text)
                if let reason { $0.field("reason", reason.rawValue) }
            case .user: $0.field("user", subject.user.text)
            case .topic: $0.field("topic", subject.name.text)
            case .member:
                $0.field("topic", subject.name.text)
                $0.field("user", subject.user.text)
            }
        }
        return Event(
            id: id,
            type: subject.kind.eventType(isThere: isThere),
            source: "/hub",
            subject: subject.name.text,
            time: time,
            data: data.bytes
        )
    }
}
