import Aurora
import Foundation

/// The figures of an evaluation as a text.
struct EvaluationReport: Sendable {
    let evaluation: ForecastEvaluation

    init(_ evaluation: ForecastEvaluation) { self.evaluation = evaluation }

    var text: String {
        let levels = ForecastEvaluation.levels.map { level in
            let results = evaluation.results.filter { $0.level == level }
            return ([skillHeader(level)] + results.map(skillLine)).joined(separator: "\n") + "\n\n"
                + ([reliabilityHeader(level)] + results.map(reliabilityLine))
                .joined(separator: "\n")
        }
        return levels.joined(separator: "\n\n")
    }

    private func skillHeader(_ level: Level) -> String {
        """
        score at least \(level.rawValue)
        lead   hours  events   Brier  skill against: climatology  by hour  persistence
        """
    }

    private func skillLine(_ result: ForecastEvaluation.Result) -> String {
        let skill = result.skill
        let share = skill.count > 0 ? 100 * Double(skill.events) / Double(skill.count) : 0
        return padded("\(result.lead) h", 5) + padded("\(skill.count)", 7)
            + padded(String(format: "%.1f%%", share), 8) + figure(skill.brier, 8, places: 4)
            + figure(skill.skillAgainstClimatology, 28, places: 3)
            + figure(result.skillAgainstHourlyClimatology, 9, places: 3)
            + figure(skill.skillAgainstPersistence, 13, places: 3)
    }

    private func reliabilityHeader(_ level: Level) -> String {
        let names = ReliabilityBin.names.map { padded("\($0)%", 20) }.joined()
        return "reliability of \(level.rawValue): mean chance, share of events (hours)\nlead "
            + names
    }

    private func reliabilityLine(_ result: ForecastEvaluation.Result) -> String {
        let bins = result.reliability.map { bin in
            guard bin.count > 0 else { return padded("-", 20) }
            let chance = 100 * bin.chanceSum / Double(bin.count)
            let share = 100 * Double(bin.events) / Double(bin.count)
            return padded(String(format: "%.0f, %.0f (%d)", chance, share, bin.count), 20)
        }
        return padded("\(result.lead) h", 5) + bins.joined()
    }

    private func figure(_ value: Double?, _ width: Int, places: Int) -> String {
        padded(value.map { String(format: "%.\(places)f", $0) } ?? "-", width)
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
