import ArgumentParser
import Foundation

struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Backends that publish by the server API, with every answer checked.",
        discussion: """
            Connections that stay open, each with one request in flight. Nobody else may publish to the topics, \
            --channel with :0, :1 and so on behind it: offsets of others would count as missing.
            """
    )

    @Option(help: "Where the server is: http://HOST:PORT or https://…, with a path if not /api.")
    var url = "http://127.0.0.1:8000"

    @Flag(help: "Accept any certificate. For a server on your own machine.")
    var insecure = false

    @Option(
        name: .customLong("api-key-env"),
        help: "The environment variable with the key of the server API."
    )
    var keyVariable = "VARDE_API_KEY"

    @Option(name: .customLong("pid"), help: "A process of the server (may be repeated).")
    var pids: [Int32] = []

    @OptionGroup(title: "Output") var output: OutputOptions

    @Option(help: "How many connections.")
    var connections = 64

    @Option(help: "Publications of a request: 1 by publish, more by batch.")
    var batch = 1

    @Option(help: "What the names of the topics begin with.")
    var channel = "chat:load"

    @Option(help: "How many topics, which take turns.")
    var topics = 50

    @Option(help: "Bytes of a publication's data, at least \(Stamp.payloadLengthMin).")
    var size = 128

    @Option(
        help: """
            Publications in one second over all connections, whatever becomes of them; without it a \
            connection sends a request when it has the answer to the one before.
            """
    )
    var rate: Double?

    @Option(help: "How long requests flow before anything is counted.")
    var warmUp = Duration.seconds(1)

    @Option(help: "How long is measured.")
    var duration = Duration.seconds(10)

    func validate() throws {
        try LoadOptions.check(size: size, count: connections, burst: batch, rate: rate)
        guard batch <= PublishAPI.batchMax else {
            throw ValidationError(
                "--batch \(batch) is more than the \(PublishAPI.batchMax) of a batch"
            )
        }
        guard topics > 0 else { throw ValidationError("a load needs --topics") }
    }

    func run() async throws {
        let destination = try Destination(url, isInsecure: insecure, example: "http://HOST:PORT")
        var path = destination.url.path ?? "/api"
        while path.hasSuffix("/") { path.removeLast() }
        let api = PublishAPI(
            authority: destination.url.authority,
            path: path,
            key: try key(),
            batch: batch
        )
        var settings = PublishScenario.Settings(api: api)
        settings.connectionCount = connections
        settings.channel = channel
        settings.topicCount = topics
        settings.payloadLength = size
        settings.rate = rate
        settings.warmUp = warmUp
        settings.duration = duration
        settings.pids = pids
        try DescriptorLimit.raise(for: connections)
        let fleet = FleetSettings(
            url: destination.url,
            address: destination.address,
            tls: destination.tls,
            dialect: .http,
            channel: channel,
            path: path,
            publisherPath: path,
            sources: FleetSettings.loopbackSources(for: connections, to: destination.address),
            connectionsMax: connections
        )
        let scenario = PublishScenario(settings: settings, run: .random(in: 0...UInt32.max))
        try await output.run(scenario, fleet)
    }

    /// From the environment and not the command line, which every user of the machine can read.
    private func key() throws -> String {
        let key = ProcessInfo.processInfo.environment[keyVariable] ?? ""
        guard !key.isEmpty else {
            throw ValidationError("the environment variable \(keyVariable) has no key")
        }
        let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
        guard key.utf8.allSatisfy(visible.contains) else {
            throw ValidationError(
                "the key in \(keyVariable) has more than visible ASCII characters"
            )
        }
        return key
    }
}
