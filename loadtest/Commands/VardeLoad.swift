// varde-load: puts a load on a WebSocket server, Varde or another, or on Varde's server API, and says what it cost
// and what arrived.

import ArgumentParser

/// The command line. Each scenario is a file beside this one.
@main
struct VardeLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "varde-load",
        abstract: "Puts a load on a WebSocket server and says what it cost and what arrived.",
        discussion: """
            The server is spoken to in the Centrifuge protocol, with --protocol raw in messages made \
            from templates, and by publish in the server API. A run in which a message was lost, came \
            twice or out of order exits with status 1. What the options and the figures mean: \
            loadtest/README.md.
            """,
        subcommands: [
            FanoutCommand.self, EchoCommand.self, ConnectCommand.self, IdleCommand.self,
            StormCommand.self, SoakCommand.self, PublishCommand.self, ActsCommand.self,
            PlotCommand.self,
        ]
    )
}
