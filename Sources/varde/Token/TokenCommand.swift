import ArgumentParser

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Makes and inspects tokens of clients, and makes API keys.",
        discussion: """
            For trying out, for tests, and for finding out why a token is refused. An application makes \
            its tokens itself: docs/AUTHENTICATION.md.
            """,
        subcommands: [
            TokenCreateCommand.self, TokenInspectCommand.self, TokenAPIKeyCommand.self,
        ]
    )
}
