import ArgumentParser

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Moves the store of a hub to another engine.",
        subcommands: [StoreCopyCommand.self]
    )
}
