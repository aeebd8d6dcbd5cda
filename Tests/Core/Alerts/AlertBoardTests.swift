import Core
import Expectations
import Foundation

/// A board, what has come out of it, and the rows that a store would hold.
private struct BoardRun {
    static let subject = AlertSubject(
        topic: Topic(trusted: "aurora:tromso"),
        alertsTopic: Topic(trusted: "aurora:tromso:alerts"),
        domain: "aurora",
        id: "tromso"
    )

    var board = AlertBoard(subject: subject)
    var rows: [String: Data] = [:]
    var told: [PublishedAlert] = []
    private var serial = 0

    mutating func score(
        _ score: Double,
        at seconds: Int64,
        _ rules: [AlertRule]
    ) throws -> AlertBoard.Outcome {
        let outcome = board.evaluate(
            rules,
            ["score": .number(score)],
            now: after(seconds)
        ) {
            serial += 1
            return "id-\(serial)"
        }
        for (rule, state) in outcome.states {
            rows[rule] = try state.map { try JSONEncoder().encode($0) }
        }
        told += outcome.events
        return outcome
    }

    /// Puts a board in the place of this one that knows the rows and nothing else.
    mutating func restart() throws {
        board = AlertBoard(subject: BoardRun.subject)
        for (rule, row) in rows {
            let state = try JSONDecoder().decode(AlertState.self, from: row)
            board.restore(state, of: AlertRuleKey(text: rule))
        }
    }

    var types: [String] { told.map(\.event.type) }

    /// Without the ids of the events, which count what was evaluated.
    var contents: [String] {
        told.map {
            "\($0.topic) \($0.event.type) \($0.event.time.iso8601) \($0.event.member("since"))"
        }
    }
}

extension Event {
    fileprivate func member(_ key: String) -> String {
        let fields = try? JSONReader.fields(of: data[...])
        let value = fields?.first { $0.key == key }?.value
        return value.map { String(decoding: $0, as: UTF8.self) } ?? "-"
    }
}

@Suite("Alert board: rules that come and go", .timeLimit(.minutes(10)))
struct AlertBoardTests {
    @Test func eachRuleHasItsOwnAlertInTheOrderOfTheKeys() throws {
        var run = BoardRun()
        let rules = [rule(name: "b"), rule(name: "a"), rule(when: "score < 0", name: "c")]
        let outcome = try run.score(80, at: 0, rules)
        expectEqual(outcome.states.map(\.rule), ["a", "b"])
        expectEqual(run.types, ["aurora.alert.raised", "aurora.alert.raised"])
        expectEqual(run.told.map(\.topic.name), Array(repeating: "aurora:tromso:alerts", count: 2))
        expectEqual(Set(run.told.map { $0.event.member("alert_id") }).count, 2)
        expectEqual(run.told[0].event.member("headline"), #""a: score 80""#)
        try expect(run.score(80, at: 1, rules).isEmpty)
    }

    @Test func escalationIsAnEvent() throws {
        var run = BoardRun()
        let rules = [rule(severity: .info, escalations: [(.critical, "score >= 95")])]
        _ = try run.score(80, at: 0, rules)
        _ = try run.score(96, at: 1, rules)
        _ = try run.score(0, at: 2, rules)
        expectEqual(
            run.types,
            ["aurora.alert.raised", "aurora.alert.escalated", "aurora.alert.cleared"]
        )
        expectEqual(
            run.told.map { $0.event.member("severity") },
            [
                #""info""#, #""critical""#, #""critical""#,
            ]
        )
        expectEqual(run.told[1].event.member("previous_severity"), #""info""#)
        expectEqual(Set(run.told.map { $0.event.member("alert_id") }).count, 1)
        expectEqual(Set(run.told.map { $0.event.member("since") }).count, 1)
    }

    @Test func ruleThatIsRemovedClearsWhatItHasRaised() throws {
        var run = BoardRun()
        _ = try run.score(80, at: 0, [rule()])
        let outcome = try run.score(80, at: 60, [])
        expectEqual(run.types, ["aurora.alert.raised", "aurora.alert.cleared"])
        expectEqual(run.told[1].event.member("reason"), #""withdrawn""#)
        expectEqual(run.told[1].event.member("severity"), #""warning""#)
        expectEqual(run.told[1].event.member("duration_seconds"), "60")
        expectEqual(outcome.states.map(\.rule), ["test"])
        expect(outcome.states.allSatisfy { $0.state == nil })
        try expect(run.score(80, at: 61, []).isEmpty)
        expect(run.rows.isEmpty)
    }

    @Test func ruleThatWasRemovedBeforeARestartClearsAfterIt() throws {
        var run = BoardRun()
        _ = try run.score(80, at: 0, [rule()])
        try run.restart()
        _ = try run.score(80, at: 60, [])
        expectEqual(run.types, ["aurora.alert.raised", "aurora.alert.cleared"])
        expectEqual(run.told[1].event.member("severity"), #""warning""#)
        expectEqual(run.told[1].event.member("values"), "{}")
        expect(run.rows.isEmpty)
    }

    @Test func ruleThatIsRemovedWhileItWaitsSaysNothing() throws {
        for state in [
            AlertState.pending(since: evening), .cooling(until: after(900)), .idle,
            .untold(alert: raised(0), keepUntil: nil, until: after(900)),
        ] {
            var run = BoardRun()
            run.board.restore(state, of: AlertRuleKey(name: "test"))
            let outcome = try run.score(80, at: 1, [])
            expect(outcome.events.isEmpty, "\(state)")
            expectEqual(outcome.states.map(\.rule), ["test"], "\(state)")
        }
    }

    @Test func ruleThatHasChangedGoesOnFromItsState() throws {
        var run = BoardRun()
        _ = try run.score(80, at: 0, [rule()])
        _ = try run.score(80, at: 1, [rule(when: "score >= 60")])
        expectEqual(run.types, ["aurora.alert.raised"])
        _ = try run.score(80, at: 2, [rule(when: "score >= 90")])
        expectEqual(run.types, ["aurora.alert.raised", "aurora.alert.cleared"])
        expectEqual(run.told[1].event.member("reason"), #""over""#)
    }

    @Test func alertOfAUsersOwnRuleIsForThatUser() throws {
        var run = BoardRun()
        let rules = [rule(owner: "42"), rule(), rule(owner: "7")]
        let outcome = try run.score(80, at: 0, rules)
        expectEqual(run.told.map(\.topic.name), ["aurora:tromso:alerts", "alerts:42", "alerts:7"])
        expectEqual(outcome.states.map(\.rule), ["test", "test@42", "test@7"])
        expect(run.told.allSatisfy { $0.event.member("rule") == #""test""# })
        try run.restart()
        _ = try run.score(80, at: 1, [rule(owner: "42"), rule()])
        expectEqual(run.told.count, 4)
        expectEqual(run.told[3].topic.name, "alerts:7", "whose rule was removed")
    }

    @Test(arguments: ["", "a:b", "a b", "ø", "a,b", String(repeating: "x", count: 300)])
    func userWhoseNameIsNoTopicHasNone(user: String) {
        expectNil(userAlertsTopic(user))
    }

    @Test func keysReadBackFromTheirTexts() {
        for key in [
            AlertRuleKey(name: "a"), AlertRuleKey(name: "a", owner: "b"),
            AlertRuleKey(name: "a", owner: "b@c.example"),
        ] {
            expectEqual(AlertRuleKey(text: key.description), key)
        }
    }

    @Test func nearestDeadlineIsTheBoards() throws {
        var run = BoardRun()
        _ = try run.score(80, at: 0, [rule(hold: 300, name: "a"), rule(hold: 60, name: "b")])
        expectEqual(run.board.nextDeadline, after(60))
        _ = try run.score(0, at: 1, [rule(hold: 300, name: "a"), rule(hold: 60, name: "b")])
        expectNil(run.board.nextDeadline)
    }
}

@Suite("Alert board: a noisy series around a threshold", .timeLimit(.minutes(10)))
struct NoisySeriesTests {
    /// A thousand samples, one a minute: noise below, 800 that cross 70 every few samples, noise below again.
    private func series(seed: UInt64) -> [Double] {
        var state = seed
        return (0..<1000).map { index in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let noise = Double(state >> 40) / Double(1 << 24) * 8 - 4
            return ((100..<900).contains(index) ? 70 : 55) + noise
        }
    }

    /// Above the hysteresis of four points, and longer held than the noise needs to come back.
    private let steady = rule(until: "score < 65", keep: 900, cooldown: 1800)

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func seriesThatCrossesEveryFewSamplesRaisesOnceAndClearsOnce(seed: UInt64) throws {
        let samples = series(seed: seed)
        let crossings = zip(samples, samples.dropFirst()).count { ($0 >= 70) != ($1 >= 70) }
        expect(crossings > 200, "seed \(seed)")
        var run = BoardRun()
        for (index, sample) in samples.enumerated() {
            _ = try run.score(sample, at: Int64(index * 60), [steady])
        }
        expectEqual(run.types, ["aurora.alert.raised", "aurora.alert.cleared"], "seed \(seed)")
    }

    /// Polling oftener tells the same values again, and nothing new.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func pollsBetweenTheSamplesChangeNothing(seed: UInt64) throws {
        var (seldom, often) = (BoardRun(), BoardRun())
        for (index, sample) in series(seed: seed).enumerated() {
            let second = Int64(index * 60)
            _ = try seldom.score(sample, at: second, [steady])
            for step in 0..<4 { _ = try often.score(sample, at: second + Int64(step), [steady]) }
        }
        expectEqual(often.contents, seldom.contents, "seed \(seed)")
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func restartAtEverySampleGivesTheSameAlerts(seed: UInt64) throws {
        // Several rules of every kind, so that every state is stored and read.
        let rules = [
            steady, rule(name: "plain"), rule(hold: 120, cooldown: 300, name: "held"),
            rule(
                until: "score < 68",
                severity: .info,
                escalations: [(.warning, "score >= 72"), (.critical, "score >= 73.9")],
                quiet: night,
                name: "quiet"
            ), rule(keep: 240, name: "own", owner: "42"),
        ]
        var (whole, restarted) = (BoardRun(), BoardRun())
        for (index, sample) in series(seed: seed).enumerated() {
            try restarted.restart()
            _ = try restarted.score(sample, at: Int64(index * 60), rules)
            _ = try whole.score(sample, at: Int64(index * 60), rules)
            expectEqual(restarted.board.nextDeadline, whole.board.nextDeadline, "seed \(seed)")
        }
        expect(whole.told.count > 20, "seed \(seed)")
        expectEqual(restarted.contents, whole.contents, "seed \(seed)")
        expectEqual(restarted.told.map(\.event.id), whole.told.map(\.event.id), "seed \(seed)")
        expectEqual(restarted.rows, whole.rows, "seed \(seed)")
    }

    // MARK: What is counted

    @Test func alertsThatStandAreTold() throws {
        var run = BoardRun()
        let rules = [
            rule(cooldown: 60, escalations: [(.critical, "score >= 95")], name: "a"),
            rule(hold: 60, name: "b"),
        ]
        var standing: [[AlertSeverity]] = []
        for (second, score) in [(0, 80), (60, 96), (120, 0)] as [(Int64, Double)] {
            _ = try run.score(score, at: second, rules)
            standing.append(run.board.standingSeverities.sorted())
            try run.restart()
            expectEqual(run.board.standingSeverities.sorted(), standing.last, "over a restart, too")
        }
        expectEqual(standing, [[.warning], [.warning, .critical], []])
    }

    @Test func transitionsAreThoseOfTheEvents() throws {
        var run = BoardRun()
        let rules = [rule(escalations: [(.critical, "score >= 95")])]
        var kinds: [AlertTransition.Kind] = []
        for (second, score) in [(0, 80), (1, 81), (2, 96), (3, 0), (4, 80)] as [(Int64, Double)] {
            kinds += try run.score(score, at: second, rules).transitions.map(\.kind)
        }
        // The rule is gone.
        kinds += try run.score(80, at: 5, []).transitions.map(\.kind)
        expectEqual(kinds, [.raised, .escalated, .cleared, .raised, .cleared])
        expectEqual(run.types, kinds.map { "aurora.alert.\($0.rawValue)" })
    }

    /// Its topic could lie below another user's.
    @Test func alertOfAUserWhoCannotBeToldIsCounted() throws {
        var run = BoardRun()
        let outcome = try run.score(80, at: 0, [rule(owner: "a:b")])
        expectEqual(outcome.transitions.map(\.kind), [.raised])
        expect(outcome.events.isEmpty)
        try expectEqual(run.score(80, at: 1, []).transitions.map(\.kind), [.cleared])
    }

    /// Whatever the rule and the series, each alert is raised, then escalated upwards, then cleared.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func eventsOfAnAlertComeInTheirOrder(seed: UInt64) throws {
        let hours = seed.isMultiple(of: 2) ? night : nil
        let rule = rule(
            until: seed.isMultiple(of: 3) ? "score < 68" : nil,
            hold: Int(seed % 5) * 60,
            keep: Int(seed % 7) * 60,
            cooldown: Int(seed % 4) * 300,
            severity: .info,
            escalations: [(.warning, "score >= 71"), (.critical, "score >= 73.5")],
            quiet: hours
        )
        var run = BoardRun()
        for (index, sample) in series(seed: seed).enumerated() {
            _ = try run.score(sample, at: Int64(index * 60), [rule])
        }
        var standing: (id: String, severity: AlertSeverity)?
        for event in run.told.map(\.event) {
            let id = event.member("alert_id")
            let word = event.member("severity").dropFirst().dropLast()
            let severity = try require(AlertSeverity(rawValue: String(word)))
            switch event.type {
            case "aurora.alert.raised":
                expectNil(standing, "seed \(seed)")
                if let hours, severity != .critical { expectNil(hours.end(at: event.time)) }
                standing = (id, severity)
            case "aurora.alert.escalated":
                let former = try require(standing)
                expect(former.id == id && former.severity < severity, "seed \(seed)")
                if let hours, severity != .critical { expectNil(hours.end(at: event.time)) }
                standing = (id, severity)
            default:
                expect(standing?.id == id && standing?.severity == severity, "seed \(seed)")
                standing = nil
            }
        }
        expect(!run.told.isEmpty, "seed \(seed)")
    }
}
