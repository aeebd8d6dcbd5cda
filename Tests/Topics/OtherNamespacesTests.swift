import Expectations
import Topics

@Suite("Namespaces: other ones for a hub that has topics", .timeLimit(.minutes(10)))
struct OtherNamespacesTests {
    private static let news = Topic(trusted: "news:a")
    private static let chat = Topic(trusted: "chat:a")
    private static let form = WireForm(rawValue: 0)

    private static func settings(
        _ count: Int,
        age: Duration? = nil,
        recovery: RecoveryMode = .stream
    ) -> NamespaceSettings {
        NamespaceSettings(history: HistoryLimit(count: count, age: age), recovery: recovery)
    }

    /// Of the namespace `news`, whose topic has five publications, all kept.
    private static func hub() -> TestHub {
        let hub = TestHub(memoryEpoch: "m", memoryCursorBase: 0, settings: ["news": settings(5)])
        for offset: UInt64 in 1...5 {
            hub.publish(Publication(news, offset, cursor: 100 + offset, seconds: Double(offset)))
        }
        return hub
    }

    @Test func smallerHistoryForgetsAtOnce() throws {
        let hub = Self.hub()
        hub.use(["news": Self.settings(2)])
        let history = try require(hub.history(of: Self.news))
        expectEqual(history.newest(9).map(\.offset), [4, 5])
        expectEqual(history.evictedCursor, 103)
        hub.publish(Publication(Self.news, 6, cursor: 106))
        expectEqual(hub.history(of: Self.news)?.newest(9).map(\.offset), [5, 6])
    }

    @Test func largerHistoryGrowsFromHereOn() {
        let hub = Self.hub()
        hub.use(["news": Self.settings(6)])
        for offset: UInt64 in 6...7 {
            hub.publish(Publication(Self.news, offset, cursor: 100 + offset))
        }
        expectEqual(hub.history(of: Self.news)?.newest(9).map(\.offset), [2, 3, 4, 5, 6, 7])
    }

    @Test func shorterAgeHoldsAtTheNextTrim() {
        let hub = Self.hub()
        hub.use(["news": Self.settings(5, age: .seconds(2))])
        hub.trim(now: Timestamp(seconds: 6), topicCountMax: 1)
        expectEqual(hub.history(of: Self.news)?.newest(9).map(\.offset), [4, 5])
    }

    @Test func recoveryIsTheOneThatIsConfiguredNow() throws {
        let hub = Self.hub()
        hub.use(["news": Self.settings(5, recovery: .cache)])
        let subscribed = try hub.subscribe(
            1,
            form: Self.form,
            to: Self.news,
            since: Position(offset: 1, epoch: "e")
        )
        expectEqual(subscribed.recovery?.publications.map(\.offset), [5])
    }

    @Test func tablesAreMergedByName() {
        let former = NamespaceTable(["news": Self.settings(5), "gone": Self.settings(1)])
        let latter = NamespaceTable(["news": Self.settings(2), "chat": Self.settings(3)])
        let merged = former.merging(latter)
        expectEqual(merged.names, ["news", "gone", "chat"])
        expectEqual(merged.settings(of: "news"), Self.settings(2))
        expectEqual(merged.settings(of: "gone"), Self.settings(1))
        expectEqual(merged[Self.chat], Self.settings(3))
        expectNil(merged.settings(of: "none"))
    }
}
