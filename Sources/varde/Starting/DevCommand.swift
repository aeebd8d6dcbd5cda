import AllDomains
import ArgumentParser
import CommandKit
import Configuration
import Digests
import HubServer

struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Runs a hub for development: no configuration, open namespaces, new secrets.",
        discussion: """
            Every client may subscribe and publish. An API key and a token secret are made at each start and \
            printed once. Web pages of http://localhost and http://127.0.0.1, on any port, may use the hub. \
            Publications are gone when the hub stops, unless --database names a file. For a hub with a \
            configuration file: varde init.
            """
    )

    @Option(help: "Where to listen, HOST:PORT; only an address of this machine.")
    var listen = "127.0.0.1:8000"

    @Option(help: "A database file, which keeps publications over a restart.", completion: .file())
    var database: String?

    @Option(
        name: .customLong("namespace"),
        help:
            "A further open namespace; chat, demo, public, room and test exist. May be repeated."
    )
    var namespaces: [String] = []

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel = "notice"

    func run() async throws {
        let process = await HubProcess()
        let scratch = database == nil ? try ScratchDatabase() : nil
        defer { scratch?.remove() }
        let secrets = GeneratedSecrets(random: randomBytes)
        var flags = ConfigurationFlags()
        flags.listen = [listen]
        flags.database = database ?? scratch?.path
        flags.logLevel = logLevel
        let loaded: LoadedConfiguration
        do throws(ConfigurationError) {
            loaded = try LoadedConfiguration(
                file: (
                    "varde dev",
                    DevelopmentHub.configuration(secrets, namespaces: namespaces)
                ),
                flags: flags,
                domains: allDomains.configurations
            )
        } catch {
            throw Failure("cannot start:\n\(error)")
        }
        try await process.run(loaded, environment: [:], reloading: nil) { hub in
            guard let address = hub.addresses.first else { return }
            say(DevelopmentHub.greeting(secrets, address: "\(address)", isKept: database != nil))
        }
    }
}
