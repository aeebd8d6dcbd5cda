/// Latencies by percentile as an SVG picture: one curve for each set, the tail drawn out.
struct LatencyPlot {
    struct Curve {
        var name: String
        var points: [LatencySummary.Point]
    }

    var title: String
    var curves: [Curve]

    /// In pixels.
    static let width = 860.0
    static let height = 480.0
    private static let left = 90.0
    private static let right = 40.0
    private static let top = 48.0
    private static let bottom = 64.0

    /// Told apart in print and by the colour-blind.
    private static let colours = [
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000",
    ]

    private static func colour(_ index: Int) -> String { colours[index % colours.count] }

    var svg: String {
        let axis = LatencyAxis(curves.flatMap(\.points).map(\.nanoseconds).max() ?? 0)
        let nines = PercentileAxis(curves.map { PercentileAxis.nines(of: $0.points) }.max() ?? 1)
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(LatencyPlot.width)) \
            \(Int(LatencyPlot.height))" font-family="sans-serif" font-size="13">
            """,
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            text(title, x: LatencyPlot.left, y: 24, anchor: "start", size: 16),
        ]
        for tick in axis.ticks {
            let y = LatencyPlot.y(axis.fraction(tick))
            lines.append(line(LatencyPlot.left, y, LatencyPlot.width - LatencyPlot.right, y))
            lines.append(text(Report.time(tick), x: LatencyPlot.left - 8, y: y + 4, anchor: "end"))
        }
        let base = LatencyPlot.height - LatencyPlot.bottom
        for tick in nines.ticks {
            let x = LatencyPlot.x(nines.fraction(tick))
            lines.append(line(x, LatencyPlot.top, x, base))
            lines.append(text("\(Report.percentage(tick)) %", x: x, y: base + 20, anchor: "middle"))
        }
        for (index, curve) in curves.enumerated() {
            lines.append(path(curve, axis, nines, LatencyPlot.colour(index)))
        }
        lines.append(legendBackground)
        for (index, curve) in curves.enumerated() {
            let y = LatencyPlot.top + 16 + Double(index) * 18
            let x = LatencyPlot.left + 12
            lines.append(line(x, y - 4, x + 22, y - 4, LatencyPlot.colour(index), width: 2.5))
            lines.append(text(curve.name, x: x + 30, y: y, anchor: "start"))
        }
        let caption = "part of the messages that were this fast or faster"
        lines.append(
            text(caption, x: LatencyPlot.width / 2, y: LatencyPlot.height - 16, anchor: "middle")
        )
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// Keeps the names readable where a curve runs behind them.
    private var legendBackground: String {
        let width = Int(46 + 7.5 * Double(curves.map(\.name.count).max() ?? 0))
        return """
            <rect x="\(Int(LatencyPlot.left) + 4)" y="\(Int(LatencyPlot.top) + 2)" width="\(width)" \
            height="\(8 + 18 * curves.count)" fill="#ffffff" fill-opacity="0.8"/>
            """
    }

    private static func x(_ fraction: Double) -> Double { left + fraction * (width - left - right) }

    private static func y(_ fraction: Double) -> Double {
        height - bottom - fraction * (height - top - bottom)
    }

    private func path(
        _ curve: Curve,
        _ axis: LatencyAxis,
        _ nines: PercentileAxis,
        _ colour: String
    ) -> String {
        let points = curve.points.map { point in
            let x = LatencyPlot.x(nines.fraction(point.percentile))
            let y = LatencyPlot.y(axis.fraction(Double(point.nanoseconds)))
            return "\(Report.fixed(x, places: 1)),\(Report.fixed(y, places: 1))"
        }
        return """
            <polyline fill="none" stroke="\(colour)" stroke-width="2" \
            points="\(points.joined(separator: " "))"/>
            """
    }

    private func line(
        _ x1: Double,
        _ y1: Double,
        _ x2: Double,
        _ y2: Double,
        _ colour: String = "#dddddd",
        width: Double = 1
    ) -> String {
        let numbers = [x1, y1, x2, y2].map { Report.fixed($0, places: 1) }
        return """
            <line x1="\(numbers[0])" y1="\(numbers[1])" x2="\(numbers[2])" y2="\(numbers[3])" \
            stroke="\(colour)" stroke-width="\(Report.fixed(width, places: 1))"/>
            """
    }

    private func text(
        _ text: String,
        x: Double,
        y: Double,
        anchor: String,
        size: Int = 13
    ) -> String {
        """
        <text x="\(Report.fixed(x, places: 1))" y="\(Report.fixed(y, places: 1))" \
        text-anchor="\(anchor)" font-size="\(size)">\(LatencyPlot.escaped(text))</text>
        """
    }

    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}

extension Report {
    var plot: LatencyPlot {
        LatencyPlot(
            title: "\(scenario): latency by percentile",
            curves: latencies.map { LatencyPlot.Curve(name: $0.name, points: $0.summary.curve) }
        )
    }

    /// 99.99 and not 99.990; 0 and not 0.0.
    static func percentage(_ value: Double) -> String {
        var text = fixed(value, places: 4)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
