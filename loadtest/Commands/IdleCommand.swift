import ArgumentParser

struct IdleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle",
        abstract: "Connections that are opened and left alone: memory for each.",
        discussion: """
            Each subscribes to the channel; with --protocol raw it does what --subscribe says. Start the \
            server afresh and name it with --pid. A server that frees memory late wants a longer --settle.
            """
    )

    @OptionGroup(title: "Server") var target: TargetOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    @Option(help: "How many connections.")
    var connections = 18_000

    @Option(help: "How long nothing happens before the memory is read.")
    var settle = Duration.seconds(5)

    @Option(help: "How long the processor time is watched after it.")
    var hold = Duration.seconds(5)

    func run() async throws {
        var settings = IdleScenario.Settings()
        settings.connectionCount = connections
        settings.settle = settle
        settings.hold = hold
        settings.openingConcurrency = target.openingConcurrency
        settings.pids = target.pids
        try await output.run(
            IdleScenario(settings: settings),
            target.settings(connectionsMax: connections)
        )
    }
}
