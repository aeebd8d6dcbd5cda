import Testing

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
        #expect(gate.admission == .admitted)
        #expect(gate.open == nil)
        #expect(gate.settle(.committed) == nil)
        #expect(gate.stopWaiting() == nil)
        #expect(gate.admission == .admitted)
    }

    @Test func openCommitHoldsUpAllOthers() {
        let (gate, settlement) = held()
        #expect(settlement == nil)
        #expect(gate.admission == .waits)
        #expect(gate.open == "a")
    }

    @Test(arguments: [
        (CommitFate.committed, "committed a"), (.lost, "lost a"), (.undone, "unknown a"),
    ])
    func knownOutcomeFreesTheGate(fate: CommitFate, settlement: String) {
        var (gate, _) = held()
        #expect(gate.settle(.open) == nil)
        #expect(gate.settle(fate).map(name) == settlement)
        #expect(gate.admission == .admitted)
        #expect(gate.open == nil)
        #expect(gate.settle(fate) == nil, "once")
    }

    @Test func outcomeThatIsNeverKnownClosesTheGateForGood() {
        for isHeldBefore in [true, false] {
            var (gate, settlement) = held(isHeldBefore ? .open : .never("why"))
            if isHeldBefore { settlement = gate.settle(.never("why")).map(name) }
            #expect(settlement == "unknown a")
            #expect(gate.admission == .closed("why"))
            #expect(gate.settle(.committed) == nil)
            #expect(gate.stopWaiting() == nil)
            #expect(gate.admission == .closed("why"))
        }
    }

    @Test func endOfWaitingClosesTheGateWithAnOpenCommit() {
        var (gate, _) = held()
        #expect(gate.stopWaiting().map(name) == "unknown a")
        #expect(gate.admission == .closed("the hub ends, and the outcome of a commit is unknown"))
        #expect(gate.settle(.committed) == nil)
    }

    @Test func afterTheEndOfWaitingNoCommitIsHeld() {
        var gate = Gate()
        #expect(gate.stopWaiting() == nil)
        #expect(gate.hold("a", .open).map(name) == "unknown a")
        #expect(gate.admission != .admitted)
    }
}
