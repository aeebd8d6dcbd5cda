// varde: the command line. Each subcommand turns its arguments into calls of HubServer.

import AllDomains
import ArgumentParser
import CommandKit
import Foundation
import HTTPService

/// The command line. Each subcommand is a file beside this one.
@main
struct Varde: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "varde",
        abstract: "A real-time event hub: polls sources, pushes every change, loses nothing.",
        version: Version.text,
        subcommands: [
            DevCommand.self, InitCommand.self, ServeCommand.self, ReplayCommand.self,
            SubscribeCommand.self, ReceiveCommand.self,
            TopicsCommand.self, HistoryCommand.self, PublishCommand.self, ClientsCommand.self,
            CheckConfigCommand.self, RulesCommand.self, TokenCommand.self,
            BackupCommand.self, RestoreCommand.self,
        ] + domainEntries.flatMap(\.commands) + [LicensesCommand.self]
    )

    /// 0 when all went well, 1 when it did not, 2 for arguments that do not fit.
    static func main() async {
        var parsed: (any ParsableCommand.Type)?
        do {
            var command = try parseAsRoot()
            parsed = type(of: command)
            try await run(&command)
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            note(parsed.map { refusal(error, by: $0) } ?? fullMessage(for: error))
            Foundation.exit(usageExitStatus)
        }
    }

    static func run(_ command: inout any ParsableCommand) async throws {
        switch command {
        case var command as any DomainCommand: try await command.run(allDomains)
        case var command as any AsyncParsableCommand: try await command.run()
        default: try command.run()
        }
    }

    /// What is said when a command finds, only when it runs, that its arguments do not fit.
    private static func refusal(
        _ error: any Error,
        by command: any ParsableCommand.Type
    ) -> String {
        let words = path(to: command)?.joined(separator: " ") ?? "varde"
        return "Error: \(message(for: error))\n  See '\(words) --help' for more information."
    }

    /// The words that call a command: `["varde", "token", "create"]`.
    static func path(
        to command: any ParsableCommand.Type,
        from root: any ParsableCommand.Type = Varde.self
    ) -> [String]? {
        let name = root.configuration.commandName ?? ""
        guard ObjectIdentifier(root) != ObjectIdentifier(command) else { return [name] }
        for subcommand in root.configuration.subcommands {
            if let rest = path(to: command, from: subcommand) { return [name] + rest }
        }
        return nil
    }

    /// As shells and their tools do it.
    private static let usageExitStatus: Int32 = 2
}
