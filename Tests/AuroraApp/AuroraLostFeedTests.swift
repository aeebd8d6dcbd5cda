import Aurora
import Configuration
import Duties
import Expectations

@testable import AuroraApp

@Suite("Aurora: one feed is lost in an unchanging storm", .timeLimit(.minutes(10)))
struct AuroraLostFeedTests {
    private static func rule(when: String, until: String) throws -> AlertRule {
        try AlertRule(
            name: "storm",
            topics: "aurora:*",
            when: AlertExpression(when),
            until: AlertExpression(until),
            severity: .warning
        )
    }

    private static func storm(
        _ fault: (feed: String, kind: UnchangingStorm.Fault)?,
        seed: UInt64
    ) throws -> UnchangingStorm {
        let rules = [try rule(when: "score >= 45", until: "score < 40")]
        var storm = UnchangingStorm(fault: fault, rules: rules, seed: seed)
        // Of a fault that begins in the tenth hour, six hours show whether it repeats.
        storm.pass(.seconds(fault.map { $0.kind == .missing } ?? true ? 48 * 3600 : 16 * 3600))
        return storm
    }

    /// The feeds that enter the score, and none.
    private static let feeds: [String?] =
        [nil]
        + UnchangingStorm.upstreams.filter { $0.role != .informative }.map { $0.name }

    @Test(arguments: feeds, UnchangingStorm.Fault.allCases)
    func oneAlertIsRaised(feed: String?, fault: UnchangingStorm.Fault) throws {
        let seed: UInt64 = 48
        let storm = try AuroraLostFeedTests.storm(feed.map { ($0, fault) }, seed: seed)
        let alerts = storm.run.events(on: auroraAlertsTopic(UnchangingStorm.place))
        expectEqual(
            alerts.map { "\($0.type) \($0.time.iso8601)" }.count,
            1,
            "seed \(seed): \(alerts.map { "\($0.type) \($0.time.iso8601)" })"
        )
        expectEqual(alerts.first?.type, "aurora.alert.raised")
    }

    @Test func dayOfTheSolarWindIsPolledMoreOftenOnlyWhileItIsNeeded() throws {
        let whole = try AuroraLostFeedTests.storm(nil, seed: 7).polls
        let lacking = try AuroraLostFeedTests.storm(("swpc.solar_wind", .missing), seed: 7).polls
        for feed in ["swpc.rtsw_mag", "swpc.rtsw_wind"] {
            // 48 hours of 15 minutes, and of 5 to 6 minutes.
            try expect((175...215).contains(require(whole[feed])), "\(feed)")
            try expect((480...577).contains(require(lacking[feed])), "\(feed)")
        }
    }
}
