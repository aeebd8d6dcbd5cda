import AllDomains
import Foundation

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the hub.",
        discussion: "Every key of the configuration file: docs/reference/configuration.md."
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Also serve /echo, a WebSocket that sends back what it gets.")
    var echo = false

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let process = await HubProcess(offersEcho: echo)
        let source = options.source(environment: environment, domains: allDomains)
        let loaded: LoadedConfiguration
        do { loaded = try source.load() } catch {
            throw HubProcess.refusal(of: error, from: source)
        }
        try await process.run(loaded, environment: environment, reloading: source)
    }
}
