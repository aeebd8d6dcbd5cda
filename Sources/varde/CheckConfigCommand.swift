import AllDomains
import Foundation
import Hub

struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract:
            "Checks a configuration and prints the effective values, each with its origin.",
        discussion: """
            Warns on standard error about webhooks and alert rules that can never match, about secrets of the \
            file that the environment replaces, and about what is open when other machines can reach the hub.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print a JSON Schema of the configuration file, for editors, and check nothing.")
    var schema = false

    func run() async throws {
        guard !schema else {
            let keys = ConfigurationSchema(allDomains.configurations).keys
            return say(try ConfigurationJSONSchema(keys).text)
        }
        let environment = ProcessInfo.processInfo.environment
        let loaded = try options.load(environment: environment, domains: allDomains)
        // All input of a start that may be invalid, so that every problem is reported at once.
        var problems: [String] = []
        // Problems hidden by others are not reported: without parts, only configured accounts are
        // taken into account.
        var accounts = loaded.configuration.accounts
        var warnings: [ConfigurationWarning] = []
        do {
            let parts = try ConfiguredParts(
                loaded,
                environment: environment,
                domains: allDomains
            )
            accounts = parts.accounts
            warnings = loaded.warnings(parts.names(loaded.configuration))
        } catch {
            problems.append("\(error)")
        }
        do {
            _ = try await Credentials.load(loaded, signsTokens: accounts != nil)
        } catch {
            problems.append("\(error)")
        }
        do { _ = try await AppleIdentities.keys(accounts, loaded) } catch {
            problems.append("\(error)")
        }
        guard problems.isEmpty else {
            throw Failure("configuration refused:\n" + problems.joined(separator: "\n"))
        }
        say(loaded.describe())
        for key in loaded.movedKeys { note("warning: \(key)") }
        for secrets in loaded.replacedSecrets { note("warning: \(secrets)") }
        for warning in warnings { note("warning: \(warning)") }
        for exposure in loaded.exposures(hasAccounts: accounts != nil) {
            note("warning: \(exposure)")
        }
    }
}
