import ArgumentParser

struct FanoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout",
        abstract: "One publisher, many subscribers of one channel."
    )

    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    @Option(help: "How many subscribers.")
    var subscribers = 1000

    @Option(help: "How many messages are published at once.")
    var burst = 1

    @Option(
        help: """
            Messages published in one second, whatever becomes of them; without it a burst is \
            published when every subscriber has the one before.
            """
    )
    var rate: Double?

    @Option(help: "Bytes of a payload, at least \(Stamp.payloadLengthMin).")
    var size = 128

    @Option(help: "How long messages flow before anything is counted.")
    var warmUp = Duration.seconds(1)

    @Option(help: "How long is measured.")
    var duration = Duration.seconds(10)

    @Option(help: "Measure no more than so many messages.")
    var messages: Int?

    func validate() throws {
        try LoadOptions.check(size: size, count: subscribers, burst: burst, rate: rate)
        guard messages.map({ $0 > 0 }) ?? true else {
            throw ValidationError("--messages has to be more than 0")
        }
    }

    func run() async throws {
        var settings = FanoutScenario.Settings()
        settings.subscriberCount = subscribers
        settings.burst = burst
        settings.rate = rate
        settings.payloadLength = size
        settings.warmUp = warmUp
        settings.duration = duration
        settings.messagesMax = messages
        settings.openingConcurrency = target.openingConcurrency
        settings.pids = target.pids
        let scenario = FanoutScenario(settings: settings, run: .random(in: 0...UInt32.max))
        try await output.run(scenario, target.settings(connectionsMax: subscribers + 1))
    }
}

/// What the options of several scenarios have to keep to.
enum LoadOptions {
    static func check(size: Int, count: Int, burst: Int, rate: Double?) throws {
        guard size >= Stamp.payloadLengthMin else {
            throw ValidationError("--size \(size) has no room for the stamp of a message")
        }
        guard count > 0 else { throw ValidationError("a load needs connections") }
        guard burst > 0 else { throw ValidationError("--burst \(burst) publishes nothing") }
        guard rate.map({ $0 > 0 && $0.isFinite }) ?? true else {
            throw ValidationError("--rate has to be more than 0")
        }
    }
}
