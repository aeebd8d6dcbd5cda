import ArgumentParser

struct ConnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect",
        abstract: "Handshakes in a second: connections that are dropped as soon as they are ready.",
        discussion: """
            With --protocol raw ready is upgraded; with centrifuge it is the answer to connect. Each \
            handshake leaves a port resting for a while: --sources gives more of them.
            """
    )

    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    @Option(help: "How many connections are on their way at once.")
    var concurrency = 64

    @Option(help: "Handshakes begun in one second; without it as many as the server takes.")
    var rate: Double?

    @Option(help: "How long connections are made before any is counted.")
    var warmUp = Duration.seconds(1)

    @Option(help: "How long is measured.")
    var duration = Duration.seconds(10)

    /// Addresses that spread the ports at rest: at 20,000 handshakes a second and a minute of rest a million.
    private static let sourcesDefault = 64

    func validate() throws {
        try LoadOptions.check(
            size: Stamp.payloadLengthMin,
            count: concurrency,
            burst: 1,
            rate: rate
        )
    }

    func run() async throws {
        var settings = ConnectScenario.Settings()
        settings.concurrency = concurrency
        settings.rate = rate
        settings.warmUp = warmUp
        settings.duration = duration
        settings.pids = target.pids
        // One that was just dropped keeps its place to the end of the turn.
        var fleet = try target.settings(connectionsMax: 2 * concurrency)
        if target.sources == nil, !fleet.sources.isEmpty {
            fleet.sources = FleetSettings.loopbackSources(count: ConnectCommand.sourcesDefault)
        }
        try await output.run(ConnectScenario(settings: settings), fleet)
    }
}
