import CommandKit
import Foundation
import Hooks

package struct HooksCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "hooks",
        abstract: "Asks the applications that decide about clients.",
        subcommands: [HooksTestCommand.self]
    )

    package init() {}
}

package struct HooksTestCommand: DomainCommand {
    package static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Asks an application one question, and shows its answer.",
        discussion: """
            The question is the one that a hub with this configuration asks, with the same signature. The answer \
            is shown as a line of JSON; the exit status is 1 if a hub could not use it. No client is affected, but \
            the application may act on the question.
            """
    )

    @Argument(help: "The name of the hook in the configuration.")
    var hook: String

    @Argument(
        help: "connect, refresh, subscribe, sub_refresh, publish, rpc or cache_empty.",
        completion: .list([
            "connect", "refresh", "subscribe", "sub_refresh", "publish", "rpc", "cache_empty",
        ])
    )
    var event: String

    @Option(help: "The configuration file, YAML.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String

    @Option(help: "The user of the client.")
    var user = ""

    @Option(help: "The topic, for subscribe, sub_refresh, publish and cache_empty.")
    var channel = ""

    @Option(help: "The method, for rpc.")
    var method = ""

    @Option(help: "The data of the client, as JSON.")
    var data: String?

    @Option(
        name: .customLong("header"),
        help: "A field of the client's handshake, \"Cookie: session=8f1c\". May be repeated."
    )
    var headers: [String] = []

    package init() {}

    package mutating func run(_ domains: [any Domain.Type]) async throws {
        let environment = ProcessInfo.processInfo.environment
        let report = try await report(domains, environment: environment)
        say(report.text)
        guard report.isAnswered else { throw ExitCode.failure }
    }

    package func report(
        _ domains: [any Domain.Type],
        environment: [String: String]
    ) async throws -> (text: String, isAnswered: Bool) {
        let source = ConfigurationSource(
            path: config,
            environment: environment,
            domains: domains.configurations
        )
        let loaded: LoadedConfiguration
        do {
            loaded = try source.load()
        } catch {
            throw Failure("configuration refused:\n\(error)")
        }
        var question = HookTrial.Question(event: event)
        (question.user, question.topic, question.method) = (user, channel, method)
        question.data = data
        question.headers = try headers.map(HooksTestCommand.header)
        let trial: HookTrial
        do throws(HookTrial.Problem) {
            trial = try HookTrial(
                question,
                to: hook,
                of: loaded.configuration,
                userAgent: Version.userAgent
            )
        } catch {
            throw Failure("\(error)")
        }
        let (report, isAnswered) = await trial.run()
        return (report, isAnswered)
    }

    private static func header(_ text: String) throws -> (name: String, value: String) {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw Failure("--header \"\(text)\": expected \"Name: value\"")
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        return (String(text[..<colon]), String(value))
    }
}
