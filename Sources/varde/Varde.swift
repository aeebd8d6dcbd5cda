// varde: the command line. Each subcommand turns its arguments into calls of HubServer.

import ArgumentParser
import Foundation

/// The command line. Each subcommand is a file beside this one.
@main
struct Varde: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "varde",
        abstract: "A real-time event hub: polls sources, pushes every change, loses nothing.",
        subcommands: [
            ServeCommand.self, ReplayCommand.self, SubscribeCommand.self, ReceiveCommand.self,
            TopicsCommand.self, HistoryCommand.self, PublishCommand.self, ClientsCommand.self,
            CheckConfigCommand.self, RulesCommand.self, TokenCommand.self, ImportCommand.self,
            RecommendCommand.self,
        ]
    )

    /// 0 when all went well, 1 when it did not, 2 for arguments that do not fit.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            FileHandle.standardError.write(Data((fullMessage(for: error) + "\n").utf8))
            Foundation.exit(usageExitStatus)
        }
    }

    /// As shells and their tools do it.
    private static let usageExitStatus: Int32 = 2
}
