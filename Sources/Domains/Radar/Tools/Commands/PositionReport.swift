import Foundation

/// The figures of a simulation as tables.
struct PositionReport {
    private let evaluation: PositionEvaluation

    init(_ evaluation: PositionEvaluation) { self.evaluation = evaluation }

    var text: String {
        (scenarioLines + [""] + calibrationLines + [""] + targetLines).joined(separator: "\n")
    }

    private var scenarioLines: [String] {
        [
            "Polls until a change of the sources is found (median, 90 %, most; 90: not found), and",
            "false changes of the position in 1,000 days without one:",
            "",
            padded("", 48) + "     former rule              present rule",
            padded("scenario", 48) + "  p50  p90  max  false     p50  p90  max  false",
        ]
            + evaluation.rows.map { row in
                padded(row.scenario.name, 48) + figures(row.former) + "   " + figures(row.present)
            }
    }

    private func figures(_ result: ScenarioResult) -> String {
        let delays = [result.delay(0.5), result.delay(0.9), result.delay(1)].map { delay in
            right(delay.map(String.init) ?? "-", 5)
        }
        let flips =
            result.quietDays > 0 ? String(format: "%.2f", result.falseFlipsPerThousandDays) : "-"
        return delays.joined() + right(flips, 7)
    }

    private var calibrationLines: [String] {
        [
            "Positions that were right, by the probability that was stated:",
            "",
            "               former rule                 present rule",
            "             number  stated  observed    number  stated  observed",
        ] + bins + [""]
            + ["insufficient", "uncertain", "clear"].map { word in
                padded(word, 12)
                    + figures(evaluation.formerCalibration.byCertainty[word])
                    + "  " + figures(evaluation.presentCalibration.byCertainty[word])
            } + [
                "",
                "Brier score: former " + figure(evaluation.formerCalibration.brierScore)
                    + ", present " + figure(evaluation.presentCalibration.brierScore),
            ]
    }

    private var bins: [String] {
        evaluation.presentCalibration.bins.indices.map { index in
            let name = String(format: "%.1f to %.1f", Double(index) / 10, Double(index + 1) / 10)
            return padded(name, 12) + figures(evaluation.formerCalibration.bins[index])
                + "  " + figures(evaluation.presentCalibration.bins[index])
        }
    }

    private func figures(_ bin: CalibrationResult.Bin?) -> String {
        guard let bin, bin.count > 0 else { return right("0", 7) + right("-", 8) + right("-", 10) }
        return right("\(bin.count)", 7) + right(figure(bin.stated), 8)
            + right(figure(bin.observed), 10)
    }

    private var targetLines: [String] {
        let targets = [
            (
                "delay of consistent sources, most", "\(evaluation.delayMax)",
                "\(PositionEvaluation.delayTarget)", evaluation.meetsDelay
            ),
            (
                "false changes in 1,000 days, most", figure(evaluation.falseFlipsMax),
                "\(PositionEvaluation.falseFlipsTarget)", evaluation.meetsFalseFlips
            ),
            (
                "error of the stated probability, most",
                figure(evaluation.presentCalibration.errorMax),
                "\(PositionEvaluation.calibrationTarget)", evaluation.meetsCalibration
            ),
            (
                "days on which one provider was clear",
                "\(evaluation.presentCalibration.clearWithOneProvider)", "0",
                evaluation.presentCalibration.clearWithOneProvider == 0
            ),
        ]
        return targets.map { name, value, target, isMet in
            padded(name, 40) + right(value, 8) + "   target \(target): \(isMet ? "met" : "missed")"
        }
    }

    private func figure(_ value: Double) -> String { String(format: "%.3f", value) }

    private func padded(_ text: String, _ width: Int) -> String {
        text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
    }

    private func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
