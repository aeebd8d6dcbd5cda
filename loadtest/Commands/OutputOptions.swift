import ArgumentParser
import Foundation

/// Where the results go.
struct OutputOptions: ParsableArguments {
    @Option(help: "Write the report as JSON to this file; - is standard output, without the table.")
    var json: String?

    @Option(help: "Draw the latencies into this SVG file.")
    var svg: String?

    @Flag(help: "No progress line.")
    var quiet = false

    /// Runs a scenario to its end and writes what it found; throws exit status 1 when that has problems.
    func run(_ scenario: some Scenario, _ settings: FleetSettings) async throws {
        let loop = try LoadLoop(
            scenario,
            settings: settings,
            progress: ProgressLine(isShown: !quiet)
        )
        var report = await loop.run()
        report.settings.insert(
            Report.Setting(name: "command", value: CommandLine.arguments.joined(separator: " ")),
            at: 0
        )
        try write(report)
        guard report.problems.isEmpty else { throw ExitCode(1) }
    }

    private func write(_ plot: LatencyPlot, to file: String) throws {
        try Data(plot.svg.utf8).write(to: URL(filePath: file))
    }

    private func write(_ report: Report) throws {
        if json != "-" { FileHandle.standardOutput.write(Data(report.text.utf8)) }
        if let svg { try write(report.plot, to: svg) }
        guard let json else { return }
        let bytes = Data(report.json + [UInt8(ascii: "\n")])
        if json == "-" {
            FileHandle.standardOutput.write(bytes)
        } else {
            try bytes.write(to: URL(filePath: json))
        }
    }
}

extension Duration: @retroactive ExpressibleByArgument {
    /// Seconds, `0.5`, or a number with a unit: `500ms`, `10s`, `5m`, `2h`.
    public init?(argument: String) {
        let units: [(name: String, seconds: Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1),
        ]
        for unit in units where argument.hasSuffix(unit.name) {
            guard let number = Double(argument.dropLast(unit.name.count)), number >= 0,
                number.isFinite
            else { return nil }
            self = .seconds(number * unit.seconds)
            return
        }
        return nil
    }
}
