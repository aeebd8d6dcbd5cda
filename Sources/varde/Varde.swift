// varde: the command line. Each subcommand turns its arguments into calls of Hub.

import AllDomains
import Foundation

/// The command line. Each subcommand has a file in or below this directory.
@main
struct Varde: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "varde",
        abstract: "A real-time event hub: pushes every change to clients, and loses none.",
        version: Version.text,
        subcommands: [
            DevCommand.self, InitCommand.self, ServeCommand.self, ReplayCommand.self,
            SubscribeCommand.self, ReceiveCommand.self,
            TopicsCommand.self, HistoryCommand.self, PublishCommand.self, ClientsCommand.self,
            CheckConfigCommand.self, RulesCommand.self, TokenCommand.self,
            BackupCommand.self, RestoreCommand.self, StoreCommand.self,
        ] + domainEntries.flatMap(\.commands) + [LicensesCommand.self]
    )

    /// Exits with 0 after success, 1 after an error, and 2 for invalid arguments.
    static func main() async {
        var parsed: (any ParsableCommand.Type)?
        do {
            var command = try parseAsRoot()
            parsed = type(of: command)
            try await run(&command)
        } catch {
            let status = exitCode(for: error)
            guard !status.isSuccess, !(error is ExitCode) else { exit(withError: error) }
            let isUsage = status == .validationFailure
            let refusal = isUsage ? parsed.map { Self.refusal(error, by: $0) } : nil
            note(refusal ?? fullMessage(for: error))
            Foundation.exit(isUsage ? usageExitStatus : status.rawValue)
        }
    }

    static func run(_ command: inout any ParsableCommand) async throws {
        switch command {
        case var command as any DomainCommand: try await command.run(allDomains)
        case var command as any AsyncParsableCommand: try await command.run()
        default: try command.run()
        }
    }

    /// Returns the message for arguments that a command finds to be invalid only when it runs.
    private static func refusal(
        _ error: any Error,
        by command: any ParsableCommand.Type
    ) -> String {
        let words = path(to: command)?.joined(separator: " ") ?? "varde"
        return "Error: \(message(for: error))\n  See '\(words) --help' for more information."
    }

    /// Returns the words that call a command: `["varde", "token", "create"]`.
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

    /// The usual status of shells and their tools.
    private static let usageExitStatus: Int32 = 2
}
