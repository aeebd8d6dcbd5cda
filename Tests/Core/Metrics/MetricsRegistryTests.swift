import Expectations

@testable import Core

@Suite("The registry of metrics", .timeLimit(.minutes(10)))
struct MetricsRegistryTests {
    @Test func partsStandInTheOrderInWhichTheyWereAdded() async {
        let registry = MetricsRegistry()
        registry.add { $0.metric("b", .gauge, "B.", 1) }
        registry.add { $0.metric("a", .counter, "A.", 2) }
        await expectEqual(
            registry.text(),
            """
            # HELP b B.
            # TYPE b gauge
            b 1
            # HELP a A.
            # TYPE a counter
            a 2

            """
        )
        registry.removeAll()
        await expectEqual(registry.text(), "")
    }

    @Test func derivationsAreListedBeforeTheFirst() {
        let times = DerivationTimes()
        times.add("toys")
        times.note("games", .seconds(2))
        // Nothing that was counted is lost by being listed again.
        times.add("games")
        var text = MetricsText()
        times.write(to: &text)
        expect(text.text.contains(#"hub_derive_seconds_count{domain="toys"} 0"#))
        expect(text.text.contains(#"hub_derive_seconds_count{domain="games"} 1"#))
        expect(text.text.contains(#"hub_derive_seconds_sum{domain="games"} 2.0"#))
    }

    /// More often than a thread's stack is deep.
    @Test func partsAreAskedWithoutEnd() async {
        let registry = MetricsRegistry()
        registry.add { $0.metric("a", .counter, "A.", 1) }
        var length = 0
        for _ in 0..<100_000 { length = await registry.text().utf8.count }
        expect(length > 0)
    }
}
