import Expectations

@testable import Topics

/// The subscriptions that are reported: those of the namespaces with `attendance`.
@Suite("Topics: reported subscriptions", .timeLimit(.minutes(10)))
struct LoopTopicsAttendanceTests {
    private static let chat = Topic(trusted: "chat:1")
    private static let news = Topic(trusted: "news:1")
    private static let form = WireForm(rawValue: 0)

    private func topics() -> LoopTopics {
        LoopTopics(
            epoch: "e1",
            cursorBase: 0,
            namespaces: NamespaceTable([
                "chat": NamespaceSettings(history: .none, attendance: .members),
                "news": NamespaceSettings(history: .none),
            ])
        )
    }

    private func changes(_ topics: inout LoopTopics) -> [String] {
        topics.takeSubscriberChanges().map {
            "\($0.isSubscribed ? "+" : "-")\($0.subscriber) \($0.topic.name)"
        }
    }

    @Test func subscriptionsAreReportedInTheirOrder() throws {
        var topics = topics()
        for subscriber in [1, 2] as [Int32] {
            for topic in [Self.chat, Self.news] {
                _ = try topics.subscribe(subscriber, form: Self.form, to: topic, since: nil)
            }
        }
        expectEqual(changes(&topics), ["+1 chat:1", "+2 chat:1"])
        expectEqual(changes(&topics), [])
        topics.unsubscribe(1, from: Self.chat)
        topics.unsubscribe(1, from: Self.chat)
        topics.unsubscribe(1, from: Self.news)
        expectEqual(topics.removeSubscriber(2), 2)
        expectEqual(changes(&topics), ["-1 chat:1", "-2 chat:1"])
    }

    @Test func aRefusedSubscriptionIsNotReported() throws {
        var topics = topics()
        _ = try topics.subscribe(1, form: Self.form, to: Self.chat, since: nil)
        do throws(SubscribeError) {
            _ = try topics.subscribe(1, form: Self.form, to: Self.chat, since: nil)
            expect(false, "subscribed twice")
        } catch {
            expectEqual(error, .alreadySubscribed)
        }
        expectEqual(changes(&topics), ["+1 chat:1"])
        let change = SubscriberChange(
            subscriber: 1,
            topic: Self.chat,
            isSubscribed: false,
            attendance: .members
        )
        topics.unsubscribe(1, from: Self.chat)
        expectEqual(topics.takeSubscriberChanges(), [change])
    }
}
