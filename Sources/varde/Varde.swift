// varde: the command line. Each subcommand turns its arguments into calls of HubServer.

import ArgumentParser

/// The command line. Each subcommand is a file beside this one.
@main
struct Varde: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "varde",
        abstract: "A real-time event hub: polls sources, pushes every change, loses nothing.",
        subcommands: [
            ServeCommand.self, ReplayCommand.self, SubscribeCommand.self, ReceiveCommand.self,
            CheckConfigCommand.self,
        ]
    )
}
