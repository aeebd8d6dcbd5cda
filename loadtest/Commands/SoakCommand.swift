import ArgumentParser

struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "A steady load for a long time, with subscribers that come and go.",
        discussion: """
            Fails when a message is lost, or when the server's memory is more than a tenth higher at the end \
            than it was at the beginning.
            """
    )

    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    @Option(help: "How many subscribers.")
    var subscribers = 1000

    @Option(help: "Messages published in one second.")
    var rate = 20.0

    @Option(help: "Subscribers dropped in one second; each comes back at once and recovers.")
    var churn = 10.0

    @Option(help: "Bytes of a payload, at least \(Stamp.payloadLengthMin).")
    var size = 128

    @Option(help: "How long the load runs before anything is counted.")
    var warmUp = Duration.seconds(5)

    @Option(help: "How long is measured.")
    var duration = Duration.seconds(3600)

    @Option(help: "How long a row of the report stands for.")
    var interval = Duration.seconds(10)

    func validate() throws {
        try LoadOptions.check(size: size, count: subscribers, burst: 1, rate: rate)
        guard churn >= 0, churn.isFinite else {
            throw ValidationError("--churn has to be 0 or more")
        }
        guard interval > .zero else { throw ValidationError("--interval has to be more than 0") }
    }

    func run() async throws {
        var settings = SoakScenario.Settings()
        settings.subscriberCount = subscribers
        settings.rate = rate
        settings.churn = churn
        settings.payloadLength = size
        settings.warmUp = warmUp
        settings.duration = duration
        settings.interval = interval
        settings.openingConcurrency = target.openingConcurrency
        settings.pids = target.pids
        let scenario = SoakScenario(settings: settings, run: .random(in: 0...UInt32.max))
        try await output.run(scenario, target.settings(connectionsMax: subscribers + 1))
    }
}
