import Expectations

@testable import Store

@Suite("The gate of commits", .timeLimit(.minutes(10)))
struct CommitGateTests {
    private typealias Gate = CommitGate<String>

    private func held(_ fate: CommitFate = .open) -> (gate: Gate, settlement: String?) {
        var gate = Gate()
        let settlement = gate.hold("a", fate)
        return (gate, settlement.map(name))
    }

    private func name(_ settlement: Gate.Settlement) -> String {
        switch settlement {
        case .committed(let commit): "committed \(commit)"
        case .lost(let commit): "lost \(commit)"
        case .unknown(let commit): "unknown \(commit)"
        }
    }

    @Test func freeGateAdmitsCommitsAndHasNothingToSettle() {
        var gate = Gate()
        expectEqual(gate.admission, .admitted)
        expectNil(gate.open)
        expectNil(gate.settle(.committed))
        expectNil(gate.stopWaiting())
        expectEqual(gate.admission, .admitted)
    }

    @Test func openCommitHoldsUpAllOthers() {
        let (gate, settlement) = held()
        expectNil(settlement)
        expectEqual(gate.admission, .waits)
        expectEqual(gate.open, "a")
    }

    @Test(arguments: [
        (CommitFate.committed, "committed a"), (.lost, "lost a"), (.undone, "unknown a"),
    ])
    func knownOutcomeFreesTheGate(fate: CommitFate, settlement: String) {
        var (gate, _) = held()
        expectNil(gate.settle(.open))
        expectEqual(gate.settle(fate).map(name), settlement)
        expectEqual(gate.admission, .admitted)
        expectNil(gate.open)
        expectNil(gate.settle(fate), "once")
    }

    @Test func outcomeThatIsNeverKnownClosesTheGateForGood() {
        for isHeldBefore in [true, false] {
            var (gate, settlement) = held(isHeldBefore ? .open : .never("why"))
            if isHeldBefore { settlement = gate.settle(.never("why")).map(name) }
            expectEqual(settlement, "unknown a")
            expectEqual(gate.admission, .closed("why"))
            expectNil(gate.settle(.committed))
            expectNil(gate.stopWaiting())
            expectEqual(gate.admission, .closed("why"))
        }
    }

    @Test func endOfWaitingClosesTheGateWithAnOpenCommit() {
        var (gate, _) = held()
        expectEqual(gate.stopWaiting().map(name), "unknown a")
        expectEqual(gate.admission, .closed("the hub ends, and the outcome of a commit is unknown"))
        expectNil(gate.settle(.committed))
    }

    @Test func afterTheEndOfWaitingNoCommitIsHeld() {
        var gate = Gate()
        expectNil(gate.stopWaiting())
        expectEqual(gate.hold("a", .open).map(name), "unknown a")
        expect(gate.admission != .admitted)
    }
}
