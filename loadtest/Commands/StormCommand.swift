import ArgumentParser

struct StormCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm",
        abstract: "Everyone is cut off at once, comes back at once and recovers what was missed.",
        discussion: """
            The channel's history has to hold what is published meanwhile. With --protocol raw there is no \
            recovery: subscribers come back, and what they missed is not counted as lost.
            """
    )

    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    @Option(help: "How many subscribers.")
    var subscribers = 1000

    @Option(help: "How many times everyone is cut off.")
    var rounds = 3

    @Option(help: "Messages published in one second, all the time.")
    var rate = 50.0

    @Option(help: "Bytes of a payload, at least \(Stamp.payloadLengthMin).")
    var size = 128

    @Option(help: "How long all is well before each round.")
    var calm = Duration.seconds(2)

    @Option(help: "How long everyone is away.")
    var away = Duration.seconds(1)

    func validate() throws {
        try LoadOptions.check(size: size, count: subscribers, burst: 1, rate: rate)
        guard rounds > 0 else { throw ValidationError("a storm needs --rounds") }
    }

    func run() async throws {
        var settings = StormScenario.Settings()
        settings.subscriberCount = subscribers
        settings.rounds = rounds
        settings.rate = rate
        settings.payloadLength = size
        settings.calm = calm
        settings.away = away
        settings.openingConcurrency = target.opening ?? subscribers
        settings.pids = target.pids
        let scenario = StormScenario(settings: settings, run: .random(in: 0...UInt32.max))
        try await output.run(scenario, target.settings(connectionsMax: subscribers + 1))
    }
}
