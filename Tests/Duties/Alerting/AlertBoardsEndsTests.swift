import Configuration
import Expectations
import Service

@testable import Duties

@Suite("Alert boards: ends, deadlines and rows", .timeLimit(.minutes(10)))
struct AlertBoardsEndsTests {
    private let now = RuleStanding.now

    // MARK: Erasures

    /// The feed has ended, and with it the topics on which its alerts are published.
    @Test(arguments: RuleStanding.allCases)
    func endOfAFeedPublishesNothingAndLeavesNoRow(standing: RuleStanding) throws {
        var boards = AlertBoards(FollowedTopics(quotedFeeds: OrdersAreFeeds()))
        if let state = standing.state {
            boards.restore(state, of: AlertRuleKey(name: "large"), for: "orders:1")
        }
        let removed = try require(
            ErasedQuotes(removed: Topic(trusted: "orders:1"), OrdersAreFeeds())
        )
        let rules = [try heldRule()]
        let outcome = boards.erase([removed], rules: { _ in rules }, now: now, newID: { "n" })
        expectEqual(outcome.events, [])
        expectEqual(outcome.alerts.map(\.alertState), (standing == .unknown ? [] : [nil]))
        expectEqual(outcome.state.map(\.value), (standing == .unknown ? [] : [nil]))
        expect(!boards.knows("orders:1"))
    }

    /// The rule is evaluated without the values of the publication that was erased.
    @Test(arguments: RuleStanding.allCases)
    func erasedPublicationIsForgottenByTheRule(standing: RuleStanding) throws {
        let feeds = OrdersAreFeeds()
        var boards = AlertBoards(FollowedTopics(quotedFeeds: feeds))
        if let state = standing.state {
            boards.restore(state, of: AlertRuleKey(name: "large"), for: "orders:1")
            boards.restore(AlertFields(["total": .number(150)]), for: "orders:1")
        }
        let erasure = Erasure(topic: Topic(trusted: "orders:1"), tag: "act", value: "7")
        let quote = try require(ErasedQuotes(erasure, feeds))
        let rules = [try heldRule()]
        let outcome = boards.erase([quote], rules: { _ in rules }, now: now, newID: { "n" })
        let expected = AlertBoardsTests().expected(standing, .unmet)
        expectEqual(outcome.events.map(\.event.type), expected.events.map { "orders.alert.\($0)" })
        expectEqual(outcome.alerts.map(\.alertState), (expected.row.map { [$0] } ?? []))
        let isKnown = standing != .unknown
        expectEqual(outcome.state.map(\.value), (isKnown ? [Array("{}".utf8)] : []))
    }

    // MARK: Due subjects

    @Test func dueSubjectsAreTakenInOrderAndTheOthersRemainDue() throws {
        var boards = AlertBoards(FollowedTopics())
        let rules = [try heldRule()]
        for topic in 1...5 {
            let publication = Publication(
                topic: Topic(trusted: "orders:\(topic)"),
                offset: 1,
                cursor: UInt64(topic),
                time: now,
                payload: Array(#"{"total":150}"#.utf8)
            )
            let start = now + .seconds(topic == 5 ? 30 : 0)
            _ = boards.take([publication], rules: { _ in rules }, now: start, newID: { "n" })
        }
        expectEqual(boards.nextDeadline, now + .seconds(60))
        expectEqual(boards.takeDue(now: now + .seconds(59)), [])
        let due = boards.takeDue(now: now + .seconds(60), countMax: 3)
        expectEqual(due, ["orders:1", "orders:2", "orders:3"])
        _ = boards.evaluate(due, rules: { _ in rules }, now: now + .seconds(60), newID: { "n" })
        expectEqual(boards.takeDue(now: now + .seconds(60)), ["orders:4"])
        expectEqual(boards.deadlineBound, now + .seconds(90))
        expectEqual(boards.deadline(of: "orders:5"), now + .seconds(90))
        expectNil(boards.deadline(of: "orders:6"))
    }

    // MARK: One subject of many

    @Test func changeOfOneSubjectLeavesTheOthersAsTheyAre() throws {
        let rules = [try heldRule()]
        var boards = AlertBoards.of(.events, .raised)
        boards.restore(
            .raised(alert: RuleStanding.alert, keepUntil: nil),
            of: rules[0].key,
            for: "2"
        )
        var part = boards.part("1")
        expectEqual(part.ids, ["1"])
        // Meanwhile the other one ends.
        _ = boards.forget(["2"], now: now, newID: { "n" })
        expectEqual(part.take(1, .events, rules).events.count, 1)
        boards.replace("1", with: part)
        expectEqual(boards.ids, ["1"])
        expectEqual(boards.deadline(of: "1"), now + .seconds(60))
        expectEqual(boards.places, 1)
        part = boards.part("1")
        _ = part.forget(["1"], now: now, newID: { "n" })
        boards.replace("1", with: part)
        expect(boards.ids == [] && boards.places == 0)
    }

    // MARK: Rows

    @Test func rowsThatCannotBeUsedAreNamedAndThoseOfOthersAreNot() {
        var boards = AlertBoards(BoardFamily.events.subjects)
        let bad = Array("?".utf8)
        let unusable = boards.restore(
            alerts: [
                AlertRow(rule: "a", subject: "thing:1", state: bad),
                AlertRow(rule: "b", subject: "thing:12", alertState: .idle),
                AlertRow(rule: "c", subject: "topic:1", state: bad),
                AlertRow(rule: "d", subject: "1", state: bad),
                AlertRow(rule: "e", subject: "thing:3", alertState: .idle),
            ],
            fields: [
                StateRow(domain: "things", key: "1", value: bad),
                StateRow(domain: "things", key: "13", value: Array("{}".utf8)),
                StateRow(domain: "things", key: "4", value: Array("{}".utf8)),
            ]
        )
        expectEqual(unusable, ["a/thing:1", "b/thing:12", "things/1", "things/13"])
        expectEqual(boards.ids, ["3", "4"])
    }

    @Test func idThatNoSubjectHasIsNothing() throws {
        var boards = AlertBoards(BoardFamily.events.subjects)
        let rules = [try heldRule()]
        let taken = boards.take([], of: "12", rules: { _ in rules }, now: now, newID: { "n" })
        expect(taken.isEmpty)
        boards.restore(.idle, of: rules[0].key, for: "12")
        boards.open("12")
        expectEqual(boards.ids, [])
    }

    @Test func openSubjectCountsAsAStandingAlertOfItsDomain() {
        var boards = AlertBoards(BoardFamily.values.subjects)
        boards.open("1")
        var standing = StandingAlerts()
        boards.addStandingAlerts(to: &standing)
        expectEqual(standing.counts, ["orders": [:]])
    }
}
