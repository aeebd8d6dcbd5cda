// A measure of positions that follow simulated sources, by the present rule and the former one.
// Read PositionEvaluation, then PositionScenario and SimulatedWorld.

import Radar

/// Delay, false flips and calibration of both rules on the same simulated answers.
package struct PositionEvaluation: Sendable {
    package struct Row: Sendable {
        package let scenario: PositionScenario
        package let former: ScenarioResult
        package let present: ScenarioResult
    }

    package let rows: [Row]
    package let formerCalibration: CalibrationResult
    package let presentCalibration: CalibrationResult

    /// Polls until a source that always gives the same answer is followed when it turns.
    package static let delayTarget = 4
    package static let falseFlipsTarget = 1.0
    package static let calibrationTarget = 0.05

    /// Worlds for each seed of the scenarios. The days of one world are alike, so that hundreds of worlds
    /// are needed for the frequency of a bin.
    package static let worldsPerSeed = 200

    /// - Parameters:
    ///   - seeds: runs of each scenario.
    ///   - quietDays: of each run.
    package init(
        seeds: Int,
        quietDays: Int = 1000,
        worldsPerSeed: Int = PositionEvaluation.worldsPerSeed,
        scenarios: [PositionScenario] = PositionScenario.all
    ) {
        rows = scenarios.map { scenario in
            Row(
                scenario: scenario,
                former: ScenarioResult(scenario, .former, seeds: seeds, quietDays: quietDays),
                present: ScenarioResult(scenario, .present, seeds: seeds, quietDays: quietDays)
            )
        }
        let worlds = seeds * worldsPerSeed
        formerCalibration = CalibrationResult(.former, worlds: worlds)
        presentCalibration = CalibrationResult(.present, worlds: worlds)
    }

    /// The longest delay of scenarios with consistent sources.
    package var delayMax: Int {
        rows.filter(\.scenario.isConsistent).compactMap { $0.present.delay(1) }.max() ?? 0
    }

    /// Of the worst scenario.
    package var falseFlipsMax: Double {
        rows.map(\.present.falseFlipsPerThousandDays).max() ?? 0
    }

    package var meetsDelay: Bool { delayMax <= PositionEvaluation.delayTarget }
    package var meetsFalseFlips: Bool { falseFlipsMax <= PositionEvaluation.falseFlipsTarget }
    package var meetsCalibration: Bool {
        presentCalibration.errorMax <= PositionEvaluation.calibrationTarget
    }
}
