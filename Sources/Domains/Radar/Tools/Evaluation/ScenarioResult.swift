import Radar

/// The result of a rule in one scenario.
package struct ScenarioResult: Sendable {
    /// Polls from the change until the position is that of the sources again, ascending;
    /// `ScenarioResult.delayMax` for one that was not found.
    package private(set) var delays: [Int] = []
    /// Changes of the position without a change of the sources, after the first days.
    package private(set) var falseFlips = 0
    /// Days without a change of the sources.
    package private(set) var quietDays = 0

    package static let delayMax = 90
    /// Days before a change.
    static let daysBefore = 60
    /// Changes in the first days are those of a position that begins.
    static let settlingDays = 14

    package var falseFlipsPerThousandDays: Double {
        quietDays > 0 ? Double(falseFlips) * 1000 / Double(quietDays) : 0
    }

    /// The delay that this part of the runs did not exceed; nil without a change to be found.
    package func delay(_ part: Double) -> Int? {
        delays.isEmpty ? nil : delays[min(delays.count - 1, Int(part * Double(delays.count)))]
    }

    package init(
        _ scenario: PositionScenario,
        _ rule: SimulatedRule,
        seeds: Int,
        quietDays: Int
    ) {
        for seed in 0..<seeds {
            if scenario.driftDays == 0 { countFlips(scenario, rule, seed, quietDays) }
            if let delay = ScenarioResult.delay(scenario, rule, seed) { delays.append(delay) }
        }
        delays.sort()
    }

    private mutating func countFlips(
        _ scenario: PositionScenario,
        _ rule: SimulatedRule,
        _ seed: Int,
        _ days: Int
    ) {
        var random = SimulationRandom(seed: UInt64(seed) &* 7919 &+ 1)
        let radar = SimulatedRadar(scenario.sources)
        var follower = RadarFollower(rule)
        var position: Stance?
        for day in 0..<(ScenarioResult.settlingDays + days) {
            follower.take(radar.opinions(day: day, &random), day: day)
            if day >= ScenarioResult.settlingDays {
                quietDays += 1
                if follower.position != position { falseFlips += 1 }
            }
            position = follower.position
        }
    }

    /// Nil where the sources have no side that could change.
    private static func delay(
        _ scenario: PositionScenario,
        _ rule: SimulatedRule,
        _ seed: Int
    ) -> Int? {
        let change: SimulatedChange =
            scenario.driftDays > 0
            ? .drift(day: daysBefore, days: scenario.driftDays) : .reversal(day: daysBefore)
        let radar = SimulatedRadar(scenario.sources, change: change)
        let end = daysBefore + scenario.driftDays
        let after = position(ofScore: radar.score(day: end))
        guard after != .neutral, after != position(ofScore: radar.score(day: 0)) else { return nil }
        var random = SimulationRandom(seed: UInt64(seed) &* 104_729 &+ 5)
        var follower = RadarFollower(rule)
        var first: Int?
        for day in 0..<(end + delayMax) {
            follower.take(radar.opinions(day: day, &random), day: day)
            guard position(ofScore: radar.score(day: day)) == after else { continue }
            let start = first ?? day
            first = start
            if follower.position == after { return day - start + 1 }
            if day - start + 1 >= delayMax { break }
        }
        return delayMax
    }
}
