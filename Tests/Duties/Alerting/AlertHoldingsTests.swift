import Configuration
import ConfigurationTesting
import Expectations
import HubTesting
import LoopTesting
import Service

@testable import Duties

@Suite("Places of alert rules", .timeLimit(.minutes(10)))
struct AlertHoldingsTests {
    private let now = Timestamp(milliseconds: 0)

    private func rule(_ condition: String = "total > 100", owner: String? = nil) throws -> AlertRule
    {
        try AlertRule(
            name: "large",
            topics: "orders:*",
            when: AlertExpression(condition),
            severity: .info,
            owner: owner
        )
    }

    private func book(_ rules: AlertRule...) -> AlertBook {
        AlertBook(
            configured: rules.map { (Configuration.Alert(), $0) },
            namespaces: NamespaceRules([Configuration.Namespace("orders")])
        )
    }

    /// Has an owner's rule look at topics.
    @discardableResult
    private func look(
        _ rule: AlertRule,
        _ topics: Range<Int>,
        users: Int = 1,
        in holdings: inout AlertHoldings
    ) -> AlertBoards.Outcome {
        let owner = AlertOwner(rule.owner)
        let first = holdings.cursor(of: owner) ?? 0
        let publications = topics.enumerated().map { index, topic in
            Publication(
                topic: Topic(trusted: "orders:\(topic)"),
                offset: 1,
                cursor: first + UInt64(index) + 1,
                time: now,
                payload: Array(#"{"total":150}"#.utf8)
            )
        }
        let placesMax = holdings.placesMax(of: owner, users: users, hasRoom: true)
        return holdings.take(
            publications,
            through: first + UInt64(topics.count),
            of: owner,
            rules: { _ in [rule] },
            placesMax: placesMax,
            now: now,
            newID: { "id" }
        )
    }

    @Test func usersWhoFillTheirPlacesLeaveTheOperators() throws {
        var holdings = AlertHoldings(limits: .init(operators: 4, users: 8, perUser: 6))
        let flood = look(try rule(owner: "eve"), 0..<100, in: &holdings)
        expectEqual(flood.events.count, 6)
        expectEqual(flood.passedOver, [.topics: 94])
        let operators = look(try rule(), 0..<4, in: &holdings)
        expectEqual(operators.events.count, 4)
        expectEqual(operators.passedOver, [:])
        expectEqual(holdings.bytes, 10 * AlertBoards.placeBytes)
    }

    @Test func userBelowAnEqualShareGetsAPlaceWhenAllAreTaken() throws {
        var holdings = AlertHoldings(limits: .init(operators: 1, users: 8, perUser: 6))
        look(try rule(owner: "eve"), 0..<6, users: 1, in: &holdings)
        look(try rule(owner: "mallory"), 0..<6, users: 2, in: &holdings)
        expectEqual(holdings[.user("mallory")].places, 4, "two were left, and the share is four")
        let kari = look(try rule(owner: "kari"), 0..<3, users: 3, in: &holdings)
        expectEqual(kari.events.count, 2)
        expectEqual(kari.passedOver, [.topics: 1])
    }

    @Test func shortMemoryGivesUsersNoMorePlaces() throws {
        var holdings = AlertHoldings(limits: .init(operators: 9, users: 9, perUser: 9))
        look(try rule(owner: "eve"), 0..<2, in: &holdings)
        expectEqual(holdings.placesMax(of: .user("eve"), users: 1, hasRoom: false), 2)
        expectEqual(holdings.placesMax(of: .operator, users: 1, hasRoom: false), 9)
    }

    @Test func placesGrowWithTheFieldsThatRulesName() throws {
        var holdings = AlertHoldings(limits: .init(operators: 9, users: 9, perUser: 9))
        let names = (0..<20).map { "f\($0) > 1" }.joined(separator: " or ")
        look(try rule(names, owner: "eve"), 0..<1, in: &holdings)
        let places = holdings[.user("eve")].places
        expect(places > 5)
        let more = look(try rule(names, owner: "eve"), 1..<2, in: &holdings)
        expectEqual(more.passedOver, [.topics: 1])
        expectEqual(holdings[.user("eve")].places, places)
    }

    @Test func onlyNamedFieldsAreStored() throws {
        var alerts = AlertBoards(FollowedTopics())
        let rule = try rule("total > 100")
        let outcome = alerts.take(
            [
                Publication(
                    topic: Topic(trusted: "orders:1"),
                    offset: 1,
                    cursor: 1,
                    time: now,
                    payload: Array(#"{"other":1,"total":7,"text":"long"}"#.utf8)
                )
            ],
            rules: { _ in [rule] },
            now: now,
            newID: { "id" }
        )
        let row = try require(outcome.state.first { $0.domain == FollowedTopics.domain })
        expectEqual(row.value.map { String(decoding: $0, as: UTF8.self) }, #"{"total":7}"#)
    }

    // MARK: Restarts

    /// Rows as they are after these outcomes.
    private func rows(_ outcomes: [AlertBoards.Outcome]) -> (alerts: [AlertRow], state: [StateRow])
    {
        var alerts: [String: AlertRow] = [:]
        var state: [String: StateRow] = [:]
        for outcome in outcomes {
            for row in outcome.alerts {
                alerts[row.rule + row.subject] = row.state == nil ? nil : row
            }
            for row in outcome.state { state[row.domain + row.key] = row.value == nil ? nil : row }
        }
        return (Array(alerts.values), Array(state.values))
    }

    private func restored(
        _ rows: (alerts: [AlertRow], state: [StateRow]),
        _ book: AlertBook,
        limits: AlertHoldings.Limits = .init()
    ) -> (holdings: AlertHoldings, stale: [StateRow]) {
        var holdings = AlertHoldings(limits: limits)
        let restored = holdings.restore(
            alerts: rows.alerts,
            fields: rows.state.filter { $0.domain != FollowedTopics.cursorDomain },
            cursors: rows.state.filter { $0.domain == FollowedTopics.cursorDomain },
            book: book
        )
        expectEqual(restored.unusable, [])
        return (holdings, restored.stale)
    }

    @Test func restartGivesEverybodyTheirOwn() throws {
        var holdings = AlertHoldings()
        let (own, kari) = (try rule(), try rule(owner: "kari"))
        var outcomes = [look(own, 0..<2, in: &holdings), look(kari, 1..<4, in: &holdings)]
        var looked = AlertBoards.Outcome()
        looked.state = [holdings.lookAsUsers(from: 3)]
        outcomes.append(looked)
        let again = restored(rows(outcomes), book(own, kari))
        expectEqual(again.stale, [])
        expectEqual(again.holdings.owners, [.operator, .user("kari")])
        expectEqual(again.holdings[.operator].ids, ["orders:0", "orders:1"])
        expectEqual(again.holdings[.user("kari")].ids.count, 3)
        expectEqual(again.holdings.cursor(of: .operator), 2)
        expectEqual(again.holdings.cursor(of: .user("kari")), 3)
        expectEqual(again.holdings.usersCursor, 3)
        expectEqual(again.holdings.bytes, holdings.bytes)
    }

    /// A file of a hub in which users' rules had filled the places of all, in one row for each topic.
    @Test func rowsThatUsersRulesHaveLeftTakeNoPlaceOfTheOperators() throws {
        let fields = (0..<10).map { topic in
            StateRow(
                domain: FollowedTopics.domain,
                key: "flood:\(topic)",
                value: Array(#"{"total":150}"#.utf8)
            )
        }
        let state = AlertState.raised(alert: RaisedAlert(id: "1", since: now), keepUntil: nil)
        let alerts = [
            AlertRow(rule: "large@eve", subject: "topic:flood:3", alertState: state)
        ]
        let own = try rule()
        var again = restored(
            (alerts, fields),
            book(own),
            limits: .init(operators: 1, users: 1, perUser: 1)
        )
        expectEqual(Set(again.stale.map(\.key)).count, 10)
        expect(again.stale.allSatisfy { $0.value == nil })
        expectEqual(again.holdings[.operator].places, 0)
        expectEqual(again.holdings[.user("eve")].ids, ["flood:3"], "to be cleared")
        expectEqual(look(own, 0..<1, in: &again.holdings).events.count, 1)
    }

    @Test func userOfWhomNothingIsRememberedLeavesNoRow() throws {
        var holdings = AlertHoldings()
        let kari = try rule(owner: "kari")
        look(kari, 0..<1, in: &holdings)
        expectNil(holdings.removeIfEmpty(.user("kari")))
        let cleared = holdings.change(.user("kari")) { boards in
            boards.evaluate(boards.ids, rules: { _ in [] }, now: now, newID: { "id" })
        }
        expectEqual(cleared.events.map(\.event.type), ["orders.alert.cleared"])
        let row = holdings.removeIfEmpty(.user("kari"))
        expectEqual(row?.key, FollowedTopics.cursorKey(of: .user("kari")))
        expectNil(row?.value)
        expectEqual(holdings.owners, [])
        expectEqual(holdings.bytes, 0)
    }
}
