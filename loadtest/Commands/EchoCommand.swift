import ArgumentParser

struct EchoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "echo",
        abstract: "Connections that send messages and await them back, from /echo by default."
    )

    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    @Option(help: "How many connections.")
    var connections = 64

    @Option(help: "How many messages a connection sends at once.")
    var burst = 1

    @Option(
        help: """
            Messages in one second over all connections, whatever becomes of them; without it a \
            connection sends a burst when all of the one before is back.
            """
    )
    var rate: Double?

    @Option(help: "Bytes of a message, at least \(Stamp.payloadLengthMin).")
    var size = 20

    @Option(help: "How long messages flow before anything is counted.")
    var warmUp = Duration.seconds(1)

    @Option(help: "How long is measured.")
    var duration = Duration.seconds(10)

    func validate() throws {
        try LoadOptions.check(size: size, count: connections, burst: burst, rate: rate)
        guard target.protocolName != .centrifuge else {
            throw ValidationError("an echo is raw WebSocket")
        }
        guard rate == nil || burst == 1 else {
            throw ValidationError("a rate sends messages one at a time; leave out --burst")
        }
    }

    func run() async throws {
        var settings = EchoScenario.Settings()
        settings.connectionCount = connections
        settings.burst = burst
        settings.rate = rate
        settings.payloadLength = size
        settings.warmUp = warmUp
        settings.duration = duration
        settings.openingConcurrency = target.openingConcurrency
        settings.pids = target.pids
        let scenario = EchoScenario(settings: settings, run: .random(in: 0...UInt32.max))
        try await output.run(
            scenario,
            target.settings(
                connectionsMax: connections,
                standardProtocol: .raw,
                standardPath: "/echo"
            )
        )
    }
}
