import AllDomains
import Foundation
import Replay

struct RulesTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Shows the alerts that each rule would have raised on recorded data.",
        discussion: """
            Plays a recording to the rules of a configuration as fast as it can, with the configuration's \
            places and intervals. Rules that look at radars tell nothing: there is no recording of those.
            """
    )

    @Option(help: "The configuration file, YAML.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String

    @Option(help: "The directory with the recording's replay.yaml.", completion: .directory)
    var replay: String

    @Option(help: "Where to begin, in ISO 8601; default: where the recording does.")
    var start: String?

    @Option(
        help: "The hours to play; default: to the end of the demo's night."
    )
    var hours: Int?

    func validate() throws {
        guard start.map({ Timestamp(iso8601: $0) != nil }) ?? true else {
            throw ValidationError("--start is no time; expected 2024-12-09T16:00:00Z")
        }
        guard hours.map((1...24 * 366).contains) ?? true else {
            throw ValidationError("--hours is not between 1 and \(24 * 366)")
        }
    }

    func run() throws {
        try rehearse(environment: ProcessInfo.processInfo.environment) { say($0) }
    }

    func rehearse(environment: [String: String], say: (String) -> Void) throws {
        let recording = try Recording(
            directory: replay,
            upstreams: domainEntries.compactMap(\.upstream)
        )
        let source = ConfigurationSource(
            path: config,
            environment: environment,
            domains: allDomains.configurations
        )
        var rehearsals: [any AlertRehearsal]
        do {
            rehearsals = try RulesTestCommand.rehearsals(try source.load(), recording)
        } catch let error as ConfigurationError {
            throw Failure("configuration refused:\n\(error)")
        }
        let start = start.flatMap { Timestamp(iso8601: $0) } ?? recording.start
        let end = hours.map { start + .seconds(3600 * $0) } ?? max(recording.end, start)
        say(recording.description)
        var count = 0
        var unusable = 0
        for index in rehearsals.indices {
            unusable += rehearsals[index].run(from: start, until: end) { alert in
                count += 1
                say(alert.description)
            }
        }
        let span = "\(start.iso8601Seconds) to \(end.iso8601Seconds)"
        let rest = unusable == 0 ? "" : "; \(unusable) answers could not be used"
        say("\(count) alert events from \(span)\(rest)")
    }

    /// Creates the rehearsals of the domains with a section in the configuration; at least one is
    /// required.
    private static func rehearsals(
        _ loaded: LoadedConfiguration,
        _ recording: Recording
    ) throws -> [any AlertRehearsal] {
        let vocabulary = AlertVocabulary(allDomains)
        let able = domainEntries.filter { $0.rehearsal != nil }
        let rehearsals = try able.compactMap {
            try $0.rehearsal?.init(loaded, recording: recording, vocabulary: vocabulary)
        }
        guard rehearsals.isEmpty else { return rehearsals }
        let sections = able.map { $0.domain.manifest.name }.joined(separator: " or ")
        throw ConfigurationError([
            loaded.problem(at: sections, "found nothing, expected the section")
        ])
    }
}
