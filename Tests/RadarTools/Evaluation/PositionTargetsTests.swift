import Expectations
import Radar

@testable import RadarTools

/// A small part of what `varde radar simulate` measures, and each target as one that the former rule
/// missed: so the check can fail.
@Suite("Positions: targets on simulated sources", .timeLimit(.minutes(10)))
struct PositionTargetsTests {
    private func result(
        _ name: String,
        _ rule: SimulatedRule,
        quietDays: Int = 0
    ) throws -> ScenarioResult {
        let scenario = try require(PositionScenario.all.first { $0.name == name }, "no \(name)")
        return ScenarioResult(scenario, rule, seeds: 2, quietDays: quietDays)
    }

    @Test(arguments: PositionScenario.all.filter(\.isConsistent).map(\.name))
    func reversalOfConsistentSourcesIsFoundWithinFourPolls(name: String) throws {
        let present = try require(result(name, .present).delay(1))
        expect(present <= PositionEvaluation.delayTarget)
        let former = try require(result(name, .former).delay(0))
        expect(former > PositionEvaluation.delayTarget)
    }

    @Test(arguments: ["one source, 70 % for", "one divided source, 55 % for"])
    func noisySourcesDoNotMakeThePositionFlap(name: String) throws {
        let target = PositionEvaluation.falseFlipsTarget
        let present = try result(name, .present, quietDays: 100)
        expectEqual(present.quietDays, 200)
        expect(present.falseFlipsPerThousandDays <= target)
        let former = try result(name, .former, quietDays: 100)
        expect(former.falseFlipsPerThousandDays > target)
    }

    @Test func certaintyIsBelieved() throws {
        let present = CalibrationResult(.present, worlds: 5)
        let former = CalibrationResult(.former, worlds: 5)
        expectEqual(present.count, former.count)
        expectEqual(present.clearWithOneProvider, 0)
        expect(former.clearWithOneProvider > 0)
        expect(present.brierScore < former.brierScore - 0.05)
        let target = PositionEvaluation.calibrationTarget
        try expect(require(present.bins.last).error <= target)
        try expect(require(former.bins.last).error > target)
    }

    // MARK: The measures

    @Test func delayIsThatOfAPartOfTheRuns() throws {
        let found = try result("one source, always the same answer", .former)
        expectEqual(found.delays.count, 2)
        expectEqual(found.delay(0), found.delays.first)
        expectEqual(found.delay(1), found.delays.last)
        expectEqual(found.falseFlipsPerThousandDays, 0, "no quiet days")
    }

    @Test func sourcesWithoutASideHaveNoDelay() throws {
        let divided = try result("two sources that contradict each other", .former)
        expect(divided.delays.isEmpty)
        expectNil(divided.delay(0.5))
    }

    @Test func binComparesStatedAndObserved() {
        var bin = CalibrationResult.Bin()
        expectEqual(bin.error, 0)
        for isRight in [true, true, true, false] { bin.add(0.9, isRight: isRight) }
        expectEqual(bin.count, 4)
        expect(abs(bin.stated - 0.9) < 1e-12)
        expectEqual(bin.observed, 0.75)
        expect(abs(bin.error - 0.15) < 1e-12)
    }
}
