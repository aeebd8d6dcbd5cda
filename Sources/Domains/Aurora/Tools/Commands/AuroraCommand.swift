import Aurora
import CommandKit

package struct AuroraCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "aurora",
        abstract: "Looks into the forecasts of the aurora.",
        subcommands: [AuroraEvaluateCommand.self]
    )

    package init() {}
}

struct AuroraEvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Compares forecasts with the scores that came, in a recording of Kp.",
        discussion: """
            The file has one line for each day: DATE and KP1 to KP8, ten times Kp, as in CelesTrak's table of \
            space weather. Forecasts are made for Tromsø under a clear sky, from the Kp of the interval that \
            has just ended; SWPC's forecasts are not in such a file. The figures are explained in docs/AURORA.md. \
            Nothing is stored.
            """
    )

    /// The whole table, from 1957 on, has 3 MB.
    static let fileBytesMax = 16 << 20

    @Argument(help: "The file with Kp.", completion: .file())
    var file: String

    func run() async throws {
        say(try report().text)
    }

    func report() throws -> EvaluationReport {
        let bytes = try contents(ofFile: file, lengthMax: AuroraEvaluateCommand.fileBytesMax)
        do throws(KpFileError) {
            return EvaluationReport(ForecastEvaluation(try KpFile(bytes).intervals))
        } catch {
            throw Failure("\(file): \(error)")
        }
    }
}
