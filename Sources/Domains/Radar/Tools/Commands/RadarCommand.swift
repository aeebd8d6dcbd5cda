// RadarTools: the simulation that compares rules for the position of a radar.
// Read RadarCommand, then PositionReport.

import CommandKit

package struct RadarCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "radar",
        abstract: "Evaluates the positions of radars.",
        subcommands: [RadarSimulateCommand.self]
    )

    package init() {}
}

struct RadarSimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Compares positions with simulated sources whose opinion is known.",
        discussion: """
            Sources flip, drift, repeat themselves, contradict each other, fail and are replaced. The \
            report has the delay until a change is found, the false changes, and the share of right \
            positions at each certainty, for the former rule and the present one. The figures are \
            explained in docs/DECISIONS/030-radar-position.md. Nothing is read and nothing is stored. \
            The same seeds give the same figures. A seed takes about half a minute.
            """
    )

    static let seedsMax = 1000

    @Option(
        help:
            "Runs of each scenario, 1 to \(seedsMax); each adds \(PositionEvaluation.worldsPerSeed) worlds to the calibration."
    )
    var seeds = 10

    func validate() throws {
        guard (1...RadarSimulateCommand.seedsMax).contains(seeds) else {
            throw ValidationError(
                "--seeds is \(seeds), expected 1 to \(RadarSimulateCommand.seedsMax)"
            )
        }
    }

    func run() async throws {
        say(PositionReport(PositionEvaluation(seeds: seeds)).text)
    }
}
