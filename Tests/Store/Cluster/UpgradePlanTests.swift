import Expectations

@testable import Store

@Suite("The steps that run beside other nodes", .timeLimit(.minutes(10)))
struct UpgradePlanTests {
    private func step(_ name: String, _ phase: Migration.Phase) -> Migration {
        Migration(name, sql: "", phase: phase)
    }

    private func plan(
        _ pending: [Migration],
        applied: Set<String> = ["core.1", "notes.1"],
        known: Set<String> = []
    ) -> (steps: [String], alone: String?) {
        let plan = UpgradePlan(pending, applied: applied) { known.contains($0.name) }
        return (plan.steps.map(\.name), plan.alone?.name)
    }

    @Test func nothingIsPending() {
        expect(plan([]) == ([], nil))
    }

    @Test func expansionsRunBesideOthers() {
        let pending = [step("core.2", .expand), step("notes.2", .expand)]
        expect(plan(pending) == (["core.2", "notes.2"], nil))
    }

    @Test func aStepWithoutAPhaseNeedsThatNoOtherNodeRuns() {
        let pending = [step("core.2", .expand), step("notes.2", .alone)]
        expect(plan(pending) == (["core.2", "notes.2"], "notes.2"))
    }

    /// Its tables are used by nobody.
    @Test func firstStepsOfADomainRunBesideOthers() {
        let pending = [step("toys.1", .alone), step("toys.2", .alone)]
        expect(plan(pending) == (["toys.1", "toys.2"], nil))
        expect(plan([step("note.1", .alone)]) == (["note.1"], nil))
        expect(plan(pending, applied: ["toys.0"]) == (["toys.1", "toys.2"], "toys.1"))
    }

    @Test func aContractionWaitsUntilEveryNodeHasIt() {
        let pending = [step("notes.2", .contract), step("core.2", .expand)]
        expect(plan(pending) == (["core.2"], nil))
        expect(plan(pending, known: ["notes.2"]) == (["notes.2", "core.2"], nil))
    }

    /// Later steps of its domain are written for the contracted tables.
    @Test func aStepBehindAWaitingContractionNeedsThatNoOtherNodeRuns() {
        let pending = [step("notes.2", .contract), step("notes.3", .expand)]
        expect(plan(pending) == (["notes.2", "notes.3"], "notes.3"))
        expect(plan(pending, known: ["notes.2"]) == (["notes.2", "notes.3"], nil))
        let two = [step("notes.2", .contract), step("notes.3", .contract)]
        expect(plan(two) == ([], nil))
    }

    @Test func aHubWithoutOtherNodesRunsAll() {
        let plan = UpgradePlan(alone: [step("notes.2", .contract), step("notes.3", .expand)])
        expectEqual(plan.steps.map(\.name), ["notes.2", "notes.3"])
        expectEqual(plan.alone?.name, "notes.2")
        expectNil(UpgradePlan(alone: []).alone)
    }
}
