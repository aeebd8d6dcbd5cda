import Configuration
import Expectations
import Service

@testable import Duties

enum BoardInput: CaseIterable, CustomTestStringConvertible {
    /// A value with which the rule's condition is met, or is not.
    case met, unmet
    /// An evaluation of what is known, whose value meets the condition.
    case time
    /// An evaluation after the rule was removed.
    case withdrawn
    /// The subject no longer exists.
    case forgotten

    var testDescription: String { "\(self)" }
}

/// What has to come of an input.
struct BoardOutcome: Equatable {
    /// The last words of the events' types.
    var events: [String] = []
    /// The state in the row that is written; nil without a row.
    var row: AlertState??

    init(_ events: String..., row: AlertState?? = nil) {
        self.events = events
        self.row = row
    }

    static let deleted: AlertState?? = .some(nil)
}

@Suite("Alert boards: the engine of all alerts", .timeLimit(.minutes(10)))
struct AlertBoardsTests {
    let now = RuleStanding.now

    private func apply(
        _ input: BoardInput,
        _ family: BoardFamily,
        _ boards: inout AlertBoards
    ) throws -> AlertBoards.Outcome {
        let rules = [try heldRule()]
        switch input {
        case .met: return boards.take(150, family, rules)
        case .unmet: return boards.take(1, family, rules)
        case .time:
            // Values are not stored where each evaluation gets them.
            if family == .values { return boards.take(150, family, rules) }
            return boards.evaluate([family.id], rules: { _ in rules }, now: now, newID: { "n" })
        case .withdrawn:
            return boards.evaluate([family.id], rules: { _ in [] }, now: now, newID: { "n" })
        case .forgotten: return boards.forget([family.id], now: now, newID: { "n" })
        }
    }

    func expected(_ standing: RuleStanding, _ input: BoardInput) -> BoardOutcome {
        let cooling = AlertState.cooling(until: now + .seconds(60))
        switch (standing, input) {
        case (.unknown, .met): return BoardOutcome(row: .pending(since: now))
        case (.unknown, .unmet), (.unknown, .withdrawn), (.unknown, .forgotten):
            return BoardOutcome()
        // Nothing is known, so there is nothing to evaluate.
        case (.unknown, .time): return BoardOutcome()
        case (.idle, .met), (.idle, .time): return BoardOutcome(row: .pending(since: now))
        case (.idle, .unmet): return BoardOutcome()
        case (.idle, .withdrawn), (.idle, .forgotten):
            return BoardOutcome(row: BoardOutcome.deleted)
        case (.pending, .met), (.pending, .time): return BoardOutcome()
        case (.pending, .unmet), (.held, .unmet): return BoardOutcome(row: .idle)
        case (.pending, .withdrawn), (.pending, .forgotten), (.held, .withdrawn),
            (.held, .forgotten):
            return BoardOutcome(row: BoardOutcome.deleted)
        case (.held, .met), (.held, .time):
            let alert = RaisedAlert(id: "n", since: now, severity: .warning)
            return BoardOutcome("raised", row: .raised(alert: alert, keepUntil: nil))
        // The rule has no quiet hours any more: the alert is published at once.
        case (.untold, .met), (.untold, .time):
            return BoardOutcome("raised", row: .raised(alert: RuleStanding.alert, keepUntil: nil))
        case (.untold, .unmet): return BoardOutcome(row: .idle)
        case (.untold, .withdrawn), (.untold, .forgotten):
            return BoardOutcome(row: BoardOutcome.deleted)
        case (.raised, .met), (.raised, .time): return BoardOutcome()
        case (.raised, .unmet): return BoardOutcome("cleared", row: cooling)
        case (.raised, .withdrawn), (.raised, .forgotten):
            return BoardOutcome("cleared", row: BoardOutcome.deleted)
        case (.cooling, .met), (.cooling, .unmet), (.cooling, .time): return BoardOutcome()
        case (.cooling, .withdrawn), (.cooling, .forgotten):
            return BoardOutcome(row: BoardOutcome.deleted)
        case (.cooled, .met), (.cooled, .time): return BoardOutcome(row: .pending(since: now))
        case (.cooled, .unmet): return BoardOutcome(row: .idle)
        case (.cooled, .withdrawn), (.cooled, .forgotten):
            return BoardOutcome(row: BoardOutcome.deleted)
        }
    }

    @Test(arguments: BoardFamily.allCases, RuleStanding.allCases)
    func everyInputInEveryState(family: BoardFamily, standing: RuleStanding) throws {
        for input in BoardInput.allCases {
            var boards = AlertBoards.of(family, standing)
            let outcome = try apply(input, family, &boards)
            var expected = expected(standing, input)
            if family == .values, standing == .unknown, input == .time {
                // This evaluation brings its values.
                expected = BoardOutcome(row: .pending(since: now))
            }
            let label: Comment = "\(input)"
            expectEqual(
                outcome.events.map { String($0.event.type.split(separator: ".").last ?? "") },
                expected.events,
                label
            )
            expect(outcome.events.allSatisfy { $0.topic.name == "orders:1:alerts" }, label)
            expectEqual(outcome.alerts.map(\.alertState), (expected.row.map { [$0] } ?? []), label)
            expect(outcome.alerts.allSatisfy { $0.subject == family.rowSubject }, label)
            expectEqual(
                outcome.transitions.counts["orders"]?.values.reduce(0, +) ?? 0,
                UInt64(expected.events.count),
                label
            )
            expectEqual(outcome.passedOver, [:], label)
            try expectRowsOfFields(outcome, family, standing, input, boards)
        }
    }

    private func expectRowsOfFields(
        _ outcome: AlertBoards.Outcome,
        _ family: BoardFamily,
        _ standing: RuleStanding,
        _ input: BoardInput,
        _ boards: AlertBoards
    ) throws {
        let label: Comment = "\(input)"
        let isGone = input == .withdrawn || input == .forgotten
        let hasBoard = boards.knows(family.id)
        expectEqual(
            hasBoard,
            (!isGone && (standing != .unknown || input != .time || family == .values)),
            label
        )
        guard let domain = family.subjects.fieldsDomain else {
            expectEqual(outcome.state, [], label)
            return
        }
        expect(outcome.state.allSatisfy { $0.domain == domain && $0.key == family.id }, label)
        let values = outcome.state.map { $0.value.map { String(decoding: $0, as: UTF8.self) } }
        switch input {
        case .met:
            // Publications are the record of their topic; events whose values are known need no row.
            let isKnown = family == .events && standing != .unknown
            expectEqual(values, (isKnown ? [] : [#"{"total":150}"#]), label)
        case .unmet: expectEqual(values, [#"{"total":1}"#], label)
        case .time: expectEqual(values, [], label)
        case .withdrawn, .forgotten:
            expectEqual(values, (standing == .unknown ? [] : [nil]), label)
        }
    }
}
