import AllDomains
import Foundation

struct SubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract:
            "Prints every publication of some topics, one JSON text a line, until interrupted.",
        discussion: """
            Reconnects by itself and recovers what it has missed. Gaps that cannot be recovered, and every \
            change of the connection, are reported on standard error. --user signs a token with the secret \
            of the hub, for operators on its machine.
            """
    )

    @Option(
        help: """
            Where the hub is: ws://HOST:PORT or wss://HOST:PORT. (default: the variable VARDE_URL, else \
            \(ServerURL.defaultText))
            """
    )
    var url: String?

    @Flag(help: "Accept any certificate. For a hub on your own machine.")
    var insecure = false

    @OptionGroup var token: ClientTokenOptions

    @Argument(help: ArgumentHelp(SubscribeCommand.topicsHelp))
    var topics: [String]

    private static let topicsHelp =
        domainEntries.lazy.compactMap(\.exampleTopic).first.map { "Topics, such as \($0)." }
        ?? "Topics."

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let url = try ServerURL(named: url, environment, form: "ws://HOST:PORT")
        let topics = try topics.map(topic)
        let token = try token.token(
            now: Timestamp(seconds: Date().timeIntervalSince1970),
            environment: environment
        )
        let client = try SubscribeClient(
            url: url,
            topics: topics,
            token: token,
            isInsecure: insecure
        )
        let status = await client.run()
        throw ExitCode(status)
    }
}
