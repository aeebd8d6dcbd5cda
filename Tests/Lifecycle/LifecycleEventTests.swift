import Expectations

@testable import Lifecycle

@Suite("Lifecycle: events", .timeLimit(.minutes(10)))
struct LifecycleEventTests {
    private static let time = Timestamp(milliseconds: 1_800_000_000_123)

    private func data(_ change: LifecycleChange) -> String {
        String(decoding: change.event(sequence: 7, at: Self.time, id: "e1").data, as: UTF8.self)
    }

    @Test func anEventSaysWhatItIsAbout() throws {
        let start = #"{"sequence":7,"observed_at":"2027-01-15T08:00:00.123Z""#
        let client = LifecycleChange(
            .client("c1", user: "42"),
            isThere: false,
            at: Self.time,
            reason: .timeout
        )
        expectEqual(data(client), start + #","client":"c1","user":"42","reason":"timeout"}"#)
        let user = LifecycleChange(.user("42"), isThere: true, at: Self.time)
        expectEqual(data(user), start + #","user":"42"}"#)
        let topic = LifecycleChange(.topic("chat:1"), isThere: true, at: Self.time)
        expectEqual(data(topic), start + #","topic":"chat:1"}"#)
        let member = LifecycleChange(.member("42", of: "chat:1"), isThere: true, at: Self.time)
        expectEqual(data(member), start + #","topic":"chat:1","user":"42"}"#)
        let event = member.event(sequence: 7, at: Self.time, id: "e1")
        expectEqual(event.type, "hub.member.joined")
        expectEqual(event.source, "/hub")
        expectEqual(event.subject, "chat:1")
        expectEqual(event.time, Self.time)
    }

    @Test func eachKindHasItsTopic() throws {
        func topic(_ subject: LifecycleSubject) throws -> String {
            try LifecycleChange(subject, isThere: true, at: Self.time).topic.name
        }
        try expectEqual(topic(.client("c1", user: "")), "hub:life")
        try expectEqual(topic(.user("42")), "hub:life")
        try expectEqual(topic(.topic("chat:1:2")), "hub:life:chat")
        try expectEqual(topic(.member("42", of: "chat:1")), "hub:life:chat")
    }

    @Test func eventsAboutAUserHaveTheTag() {
        func tags(_ subject: LifecycleSubject) -> [String: String] {
            LifecycleChange(subject, isThere: true, at: Self.time).tags
        }
        expectEqual(tags(.client("c1", user: "42")), ["user": "42"])
        expectEqual(tags(.client("c1", user: "")), [:])
        expectEqual(tags(.user("42")), ["user": "42"])
        expectEqual(tags(.topic("chat:1")), [:])
        expectEqual(tags(.member("42", of: "chat:1")), ["user": "42"])
    }

    @Test func everyKindHasTwoTypes() {
        let types = LifecycleKind.allCases.flatMap { kind in
            [kind.eventType(isThere: true), kind.eventType(isThere: false)]
        }
        expectEqual(Set(types).count, 2 * LifecycleKind.allCases.count)
    }
}
