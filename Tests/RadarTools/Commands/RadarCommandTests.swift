import ArgumentParser
import Expectations

@testable import RadarTools

@Suite("varde radar simulate", .timeLimit(.minutes(10)))
struct RadarCommandTests {
    @Test(arguments: ["0", "1001", "-1", "ten"])
    func numberOfSeedsHasLimits(seeds: String) {
        #expect(throws: (any Error).self) { try RadarSimulateCommand.parse(["--seeds", seeds]) }
    }

    @Test(arguments: ["1", "1000"])
    func numberOfSeedsMayBeAtItsLimits(seeds: String) throws {
        try expectEqual(RadarSimulateCommand.parse(["--seeds", seeds]).seeds, Int(seeds))
    }

    @Test func withoutASeedThereAreTen() throws {
        try expectEqual(RadarSimulateCommand.parse([]).seeds, 10)
    }

    @Test func reportHasEveryScenarioBinAndTarget() {
        let evaluation = PositionEvaluation(
            seeds: 1,
            quietDays: 5,
            worldsPerSeed: 2,
            scenarios: Array(PositionScenario.all.prefix(2))
        )
        let text = PositionReport(evaluation).text
        for scenario in PositionScenario.all.prefix(2) { expect(text.contains(scenario.name)) }
        for name in ["0.0 to 0.1", "0.9 to 1.0", "insufficient", "uncertain", "clear", "Brier"] {
            expect(text.contains(name), "\(name)")
        }
        expectEqual(text.components(separatedBy: "   target ").count, 5)
        expect(text.components(separatedBy: "\n").allSatisfy { $0.count <= 100 })
    }
}
