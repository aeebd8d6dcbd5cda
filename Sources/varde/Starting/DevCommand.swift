import AllDomains
import Foundation
import Hub

struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Runs a hub for development: no configuration, and open namespaces.",
        discussion: """
            Every client may subscribe and publish. Web pages of http://localhost and http://127.0.0.1, on \
            any port, may use the hub. Publications are gone when the hub stops, unless --database names a \
            file. The API key and the token secret are those of the variables VARDE_API_KEY and \
            VARDE_TOKEN_SECRET; else they are new at each start, or kept with the database in \
            FILE-secrets. Only this machine can reach the hub, because everyone may publish. For other machines \
            and for containers: varde init.
            """
    )

    @Option(help: "Where to listen, HOST:PORT; only an address of this machine.")
    var listen = "127.0.0.1:8000"

    @Option(
        help: "A database file, which keeps publications and secrets over a restart.",
        completion: .file()
    )
    var database: String?

    @Option(
        name: .customLong("namespace"),
        help:
            "A further open namespace; chat, demo, public, room and test exist. May be repeated."
    )
    var namespaces: [String] = []

    @Option(
        help: """
            A back end that decides about clients. It is asked at URL/connect, URL/subscribe and so on; {event} in \
            the URL is replaced. Each answer is shown. Questions are signed with the variable VARDE_HOOK_SECRET, \
            if it is set.
            """
    )
    var hook: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel = "notice"

    func run() async throws {
        let process = await HubProcess()
        let scratch = database == nil ? try ScratchDatabase() : nil
        defer { scratch?.remove() }
        let environment = ProcessInfo.processInfo.environment
        let kept = try DevelopmentSecrets(
            database: database,
            environment: environment,
            random: randomBytes
        )
        let secrets = kept.used
        var flags = ConfigurationFlags()
        flags.listen = [listen]
        flags.database = database ?? scratch?.path
        flags.logLevel = logLevel
        let loaded: LoadedConfiguration
        do throws(ConfigurationError) {
            loaded = try LoadedConfiguration(
                file: (
                    "varde dev",
                    DevelopmentHub.configuration(
                        secrets,
                        namespaces: namespaces,
                        hook: hook.map { .init(url: $0, secret: environment["VARDE_HOOK_SECRET"]) }
                    )
                ),
                flags: flags,
                domains: allDomains.configurations
            )
        } catch {
            throw Failure("cannot start:\n\(error)")
        }
        try await process.run(loaded, environment: [:], reloading: nil) { hub in
            guard let address = hub.addresses.first else { return }
            do { try kept.keep() } catch { note("the secrets are new at the next start: \(error)") }
            say(DevelopmentHub.greeting(kept.shown, address: "\(address)", isKept: database != nil))
        }
    }
}
