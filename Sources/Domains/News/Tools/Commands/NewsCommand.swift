// NewsTools: the recorded feeds of the news, and the evaluation of stories on labelled articles.
// Read NewsCommand, then StoryFileReport; for the feeds NewsRecordings.

import CommandKit
import News

package struct NewsCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "news",
        abstract: "Looks into the stories of the news.",
        subcommands: [NewsEvaluateCommand.self]
    )

    package init() {}
}

struct NewsEvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Compares stories with the labels of a file of articles.",
        discussion: """
            The file is in the format of the UCI News Aggregator data set: ID, title, URL, publisher, \
            category, story, host name and milliseconds since 1970, separated by tabs or commas. The \
            held-out half has the labels that no parameter was chosen on. The figures are \
            explained in docs/DECISIONS/024-stories.md. Nothing is stored.
            """
    )

    /// The whole data set has 102 MB.
    static let fileBytesMax = 512 << 20

    @Argument(help: "The file with the labelled articles.", completion: .file())
    var file: String

    func run() async throws {
        say(try report { ContinuousClock.now - $0 }.text)
    }

    /// - Parameter elapsed: returns the time since an instant.
    func report(
        elapsed: (ContinuousClock.Instant) -> Duration
    ) throws -> StoryFileReport {
        let articles = StoryFile(
            try contents(ofFile: file, lengthMax: NewsEvaluateCommand.fileBytesMax)
        )
        let start = ContinuousClock.now
        guard let report = StoryFileReport(articles, elapsed: { elapsed(start) }) else {
            throw Failure(
                """
                \(file) has no labelled article: found \(articles.skippedCount) other lines, expected \
                lines of 8 fields: ID, title, URL, publisher, category, story, host name, milliseconds
                """
            )
        }
        return report
    }
}
