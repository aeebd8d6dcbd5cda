import ArgumentParser
import Foundation
import HubServer

struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract:
            "Checks a configuration and prints what it comes to, with where each value is from."
    )

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let loaded = try options.load(environment: environment)
        do {
            _ = try ConfiguredParts(loaded, environment: environment)
        } catch {
            throw Failure("configuration refused:\n\(error)")
        }
        say(loaded.describe())
    }
}
