import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import Service

@testable import Duties

@Suite("Alerts of any topic: the follower", .timeLimit(.minutes(10)))
struct TopicAlertsFollowerTests {
    private let raised = "orders:1:alerts orders.alert.raised"
    private let cleared = "orders:1:alerts orders.alert.cleared"

    private var large: AlertRule {
        get throws {
            try AlertRule(
                name: "large",
                topics: "orders:*",
                when: AlertExpression("total >= 100"),
                severity: .warning,
                escalations: [
                    AlertEscalation(severity: .critical, when: AlertExpression("total >= 500"))
                ]
            )
        }
    }

    private func passedOver(
        _ hub: FollowedHub,
        _ reason: String,
        of owner: String = "operator"
    ) async throws -> Double? {
        let labels = ["reason": reason, "owner": owner]
        return try await hub.exposition().value("hub_alert_passed_over_total", labels)
    }

    /// The topic of its alerts would have too long a name.
    @Test(arguments: [249, 255]) func topicWithALongNameHasNoAlerts(bytes: Int) async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, rules: [try large])
            let prefix = "orders:"
            try await hub.publish(
                150,
                on: prefix + String(repeating: "1", count: bytes - prefix.utf8.count)
            )
            try await hub.publish(150)
            try await hub.following { await hub.untilTold(1) }
            expectEqual(hub.told.withLock { $0 }, [raised])
        }
    }

    @Test func asManyAsMayWaitAreAllLookedAt() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, limits: .init(waitingMax: 4), rules: [try large])
            try await hub.publish(150, 1, 150, 1)
            try await hub.following { await hub.untilTold(4) }
            expectEqual(hub.told.withLock { $0 }, [raised, cleared, raised, cleared])
            try await expectEqual(passedOver(hub, "waiting"), 0)
        }
    }

    @Test func oneMoreThanMayWaitCostsTheOldestAndIsTold() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, limits: .init(waitingMax: 4), rules: [try large])
            try await hub.publish(150, 1, 150, 1, 150)
            try await hub.following { await hub.untilTold(3) }
            expectEqual(hub.told.withLock { $0 }, [raised, cleared, raised], "the last one stands")
            try await expectEqual(passedOver(hub, "waiting"), 1)
            let line = await hub.log.first { $0.level == .warning }
            expectEqual(line?.metadata, ["count": "1", "reason": "waiting", "owner": "operator"])
        }
    }

    /// Were the newest passed over, the alert would stand until the topic speaks again.
    @Test func alertWhoseEndCameInACrowdIsOver() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, limits: .init(waitingMax: 2), rules: [try large])
            try await hub.publish(150)
            try await hub.following { await hub.untilTold(1) }
            try await hub.publish(160, 170, 180, 1)
            try await hub.following { await hub.untilTold(2) }
            expectEqual(hub.told.withLock { $0 }, [raised, cleared])
            try await expectEqual(passedOver(hub, "waiting"), 2)
        }
    }

    @Test func topicWithoutAPlaceIsCountedAndToldOnce() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, places: .init(operators: 1), rules: [try large])
            try await hub.publish(1)
            try await hub.publish(150, 160, on: "orders:2")
            try await hub.publish(150)
            try await hub.following { await hub.untilTold(1) }
            expectEqual(hub.told.withLock { $0 }, [raised])
            try await expectEqual(passedOver(hub, "topics"), 2)
            let line = await hub.log.first { $0.level == .warning }
            expectEqual(line?.metadata, ["count": "2", "reason": "topics", "owner": "operator"])
        }
    }

    @Test func alertsThatStandAndWhatHappensToThemAreCounted() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, rules: [try large])
            func active(_ severity: String) async throws -> Double? {
                let labels = ["domain": "orders", "severity": severity]
                return try await hub.exposition().value("hub_alerts_active", labels)
            }
            try await hub.publish(150)
            try await hub.publish(150, on: "orders:2")
            try await hub.following { await hub.untilTold(2) }
            try await expectEqual(active("warning"), 2)
            try await expectEqual(active("critical"), 0)
            try await hub.publish(600)
            try await hub.publish(1, on: "orders:2")
            try await hub.following { await hub.untilTold(4) }
            try await expectEqual(active("warning"), 0)
            try await expectEqual(active("critical"), 1)
            try await expectEqual(active("info"), 0)
            let metrics = try await hub.exposition()
            let counts = ["raised", "escalated", "cleared"].map {
                metrics.value(
                    "hub_alert_transitions_total",
                    ["domain": "orders", "kind": $0]
                )
            }
            expectEqual(counts, [2, 1, 1])
        }
    }

    @Test func ruleThatIsGoneClearsWhatItHasRaised() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(store, rules: [try large])
            try await hub.publish(150)
            try await hub.following {
                await hub.untilTold(1)
                hub.book.remove(try large.key)
                await hub.untilTold(2)
            }
            expectEqual(hub.told.withLock { $0 }, [raised, cleared])
            let labels = ["domain": "orders", "severity": "warning"]
            try await expectEqual(hub.exposition().value("hub_alerts_active", labels), 0)
        }
    }

    // MARK: Users' rules beside the operator's

    private func rule(
        of owner: String?,
        _ condition: String = "total >= 100",
        name: String = "large",
        topics: String = "orders:*"
    ) throws -> AlertRule {
        try AlertRule(
            name: name,
            topics: topics,
            when: AlertExpression(condition),
            severity: .info,
            owner: owner
        )
    }

    @Test func rulesOfEverybodyAreEvaluatedApart() async throws {
        try await withTemporaryStore { store in
            let rules = [
                try rule(of: nil), try rule(of: "kari", "total >= 50"),
                try rule(of: "ola", "other > 1"),
            ]
            let hub = FollowedHub(store, rules: rules)
            try await hub.publish(60, 150)
            try await hub.following { await hub.untilTold(2) }
            expectEqual(
                hub.told.withLock { $0 }.sorted(),
                ["alerts:kari orders.alert.raised", raised]
            )
        }
    }

    @Test func usersWhoFillTheirPlacesDoNotSilenceTheOperator() async throws {
        try await withTemporaryStore { store in
            let hub = FollowedHub(
                store,
                places: .init(operators: 1, users: 4, perUser: 2),
                rules: [try rule(of: "eve"), try rule(of: nil, topics: "orders:9")]
            )
            for topic in 0..<10 { try await hub.publish(150, on: "orders:\(topic)") }
            try await hub.following { await hub.untilTold(3) }
            expectEqual(
                hub.told.withLock { $0 },
                [
                    "orders:9:alerts orders.alert.raised", "alerts:eve orders.alert.raised",
                    "alerts:eve orders.alert.raised",
                ]
            )
            try await expectEqual(passedOver(hub, "topics", of: "user"), 8)
            try await expectEqual(passedOver(hub, "topics"), 0)
            let line = await hub.log.first { $0.level == .warning }
            expectEqual(line?.metadata, ["count": "8", "reason": "topics", "owner": "user"])
        }
    }

    @Test func operatorsRulesAreEvaluatedBeforeUsersWhateverThoseCost() async throws {
        try await withTemporaryStore { store in
            let long = Array(repeating: "total >= 100", count: 50).joined(separator: " and ")
            let rules = try (0..<20).map { try rule(of: "eve", long, name: "r\($0)") }
            let hub = FollowedHub(store, rules: rules + [try rule(of: nil, topics: "orders:9")])
            for _ in 0..<10 { try await hub.publish(150, 1) }
            try await hub.publish(150, on: "orders:9")
            try await hub.following { await hub.untilTold(2) }
            expectEqual(hub.told.withLock { $0.first }, "orders:9:alerts orders.alert.raised")
        }
    }

    @Test func floodForUsersRulesLosesNothingOfTheOperators() async throws {
        try await withTemporaryStore { store in
            let budget = MemoryBudget()
            let hub = FollowedHub(
                store,
                limits: .init(waitingBytes: 1 << 20, userWaitingBytes: 4 << 10),
                budget: budget,
                rules: [try rule(of: nil), try rule(of: "eve")]
            )
            for _ in 0..<50 { try await hub.publish(150, 1) }
            expect(budget.held(for: .alerts) > 0)
            expect(budget.held(for: .alerts) < 50 << 10)
            try await hub.following { await hub.untilTold(101) }
            let told = hub.told.withLock { $0 }
            expectEqual(told.count { $0 == raised }, 50)
            expectEqual(told.count { $0 == cleared }, 50)
            try await expectEqual(passedOver(hub, "waiting"), 0)
            try expect(try await require(passedOver(hub, "waiting", of: "user")) > 90)
            expectEqual(
                budget.held(for: .alerts),
                2 * AlertBoards.placeBytes,
                "a place for each owner"
            )
        }
    }

    @Test func shortMemoryCostsUsersRulesFirst() async throws {
        try await withTemporaryStore { store in
            let budget = MemoryBudget(limit: 1 << 20)
            budget.add(1 << 20, to: .histories)
            let hub = FollowedHub(
                store,
                budget: budget,
                rules: [try rule(of: nil), try rule(of: "eve")]
            )
            try await hub.publish(150)
            try await hub.following {
                await hub.untilTold(1)
                _ = await hub.log.first { $0.level == .warning }
            }
            expectEqual(hub.told.withLock { $0 }, [raised])
            try await expectEqual(passedOver(hub, "waiting", of: "user"), 1)
        }
    }

    @Test func ruleOfAUserThatIsGoneClearsWhatItHasRaised() async throws {
        try await withTemporaryStore { store in
            let kari = try rule(of: "kari")
            let hub = FollowedHub(store, rules: [kari])
            try await hub.publish(150)
            try await hub.following {
                await hub.untilTold(1)
                hub.book.remove(kari.key)
                await hub.untilTold(2)
            }
            expectEqual(
                hub.told.withLock { $0 },
                [
                    "alerts:kari orders.alert.raised", "alerts:kari orders.alert.cleared",
                ]
            )
            try await expectEqual(store.state(domain: FollowedTopics.userDomain), [])
            try await expectEqual(store.state(domain: FollowedTopics.cursorDomain), [])
        }
    }
}
