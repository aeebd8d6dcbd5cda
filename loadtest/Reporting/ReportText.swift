/// A report as a table for people.
extension Report {
    var text: String {
        var lines = ["\(scenario)\(problems.isEmpty ? "" : ": FAILED")"]
        lines += Report.columns(settings.map { [$0.name, $0.value] })
        lines += Report.columns(
            figures.map { [$0.name, Report.number($0.value), $0.unit] },
            rightAligned: [1]
        )
        if !latencies.isEmpty {
            let head = ["", "count"] + Report.percentiles.map(\.name) + ["max", "mean"]
            let rows = latencies.map { latency in
                [latency.name, String(latency.summary.count)]
                    + Report.percentiles.map {
                        Report.time(Double(latency.summary.nanoseconds(at: $0.value)))
                    } + [
                        Report.time(Double(latency.summary.max)), Report.time(latency.summary.mean),
                    ]
            }
            lines += Report.columns([head] + rows, rightAligned: Set(1...head.count))
        }
        if let first = samples.first {
            let head = ["seconds"] + first.figures.map { "\($0.name) \($0.unit)" }
            let rows = samples.map { sample in
                [Report.number(sample.seconds)] + sample.figures.map { Report.number($0.value) }
            }
            lines += Report.columns([head] + rows, rightAligned: Set(0..<head.count))
        }
        return (lines + problems.map { "problem: \($0)" }).joined(separator: "\n") + "\n"
    }

    /// The percentiles that tables and JSON show.
    static let percentiles: [(name: String, value: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("p99.99", 99.99),
    ]

    /// Rows with their columns below each other, two spaces apart.
    static func columns(_ rows: [[String]], rightAligned: Set<Int> = []) -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (index, cell) in row.enumerated() {
                if index == widths.count { widths.append(0) }
                widths[index] = max(widths[index], cell.count)
            }
        }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell in
                let space = String(repeating: " ", count: widths[index] - cell.count)
                return rightAligned.contains(index) ? space + cell : cell + space
            }
            let line = "  " + cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// At least three digits that mean something, and no more than three behind the point.
    static func number(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        let places = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 3
        return fixed(value, places: places)
    }

    /// Nanoseconds in the unit that reads best.
    static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000_000: number(nanoseconds / 1_000) + " us"
        case ..<1_000_000_000: number(nanoseconds / 1_000_000) + " ms"
        default: number(nanoseconds / 1_000_000_000) + " s"
        }
    }

    static func fixed(_ value: Double, places: Int) -> String {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard places > 0 else { return sign + String(scaled) }
        let digits = String(scaled)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return sign + padded.dropLast(places) + "." + padded.suffix(places)
    }
}
