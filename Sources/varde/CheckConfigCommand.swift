import Access
import AllDomains
import ArgumentParser
import CommandKit
import Foundation
import HubServer

struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract:
            "Checks a configuration and prints what it comes to, with where each value is from.",
        discussion: "Warns on standard error about what is open when others can reach the hub."
    )

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let loaded = try options.load(environment: environment, domains: allDomains)
        // All that a start reads and that may be wrong: of both, so that every problem is told at once.
        var problems: [String] = []
        do {
            _ = try ConfiguredParts(
                loaded,
                environment: environment,
                domains: allDomains
            )
        } catch {
            problems.append("\(error)")
        }
        do { _ = try await Credentials.load(loaded) } catch { problems.append("\(error)") }
        guard problems.isEmpty else {
            throw Failure("configuration refused:\n" + problems.joined(separator: "\n"))
        }
        say(loaded.describe())
        for exposure in loaded.exposures() { note("warning: \(exposure)") }
    }
}
