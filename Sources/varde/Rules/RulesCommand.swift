import ArgumentParser

struct RulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Checks alert rules, and tries them on recorded data.",
        subcommands: [RulesCheckCommand.self, RulesTestCommand.self]
    )
}
