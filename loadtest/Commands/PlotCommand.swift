import ArgumentParser
import Foundation

struct PlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot",
        abstract: "Draws the latencies of several reports into one SVG picture.",
        discussion: "Example: varde-load plot --svg latency.svg varde=a.json floor=b.json"
    )

    @Option(help: "The file to write.")
    var svg: String

    @Option(help: "What stands above the picture.")
    var title = "Latency by percentile"

    @Argument(help: "NAME=FILE, a report as JSON and what its curve is called.")
    var reports: [String]

    func run() throws {
        let curves = try reports.map { argument in
            guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else {
                throw ValidationError("'\(argument)' is not NAME=FILE")
            }
            let file = String(argument[argument.index(after: sign)...])
            let json = try Data(contentsOf: URL(filePath: file))
            guard let points = Report.firstCurve(json: Array(json)) else {
                throw ValidationError("'\(file)' is no report with latencies")
            }
            return LatencyPlot.Curve(name: String(argument[..<sign]), points: points)
        }
        try Data(LatencyPlot(title: title, curves: curves).svg.utf8).write(to: URL(filePath: svg))
    }
}
