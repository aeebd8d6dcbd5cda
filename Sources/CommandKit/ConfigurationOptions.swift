/// The options of commands that read a configuration.
package struct ConfigurationOptions: ParsableArguments {
    @Option(help: "The configuration file, YAML.", completion: .file(extensions: ["yaml", "yml"]))
    package var config: String?

    @Option(help: "Where to listen, HOST:PORT; may be repeated.")
    var listen: [String] = []

    @Option(help: "The database file.", completion: .file())
    package var database: String?

    @Flag(
        help: "Known credentials and explained refusals, for a hub that listens only on loopback."
    )
    var development = false

    @Option(help: "Event loops: a number, or auto for one per core.")
    var loops: String?

    @Option(help: "The PEM file with the certificate and its chain.", completion: .file())
    var tlsCertificate: String?

    @Option(help: "The PEM file with the certificate's private key.", completion: .file())
    var tlsKey: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: String?

    @Option(help: "text or json.")
    var logFormat: String?

    @Option(help: "Where a recording's clock begins, in ISO 8601. For replays.")
    var clockStart: String?

    @Option(help: "The speed of a recording's clock: 1 is that of the wall clock.")
    var clockSpeed: String?

    package init() {}

    /// Returns the source of all configuration layers, which can be loaded repeatedly.
    ///
    /// - Parameter domains: the domains whose sections the file may contain.
    package func source(
        environment: [String: String],
        domains: [any Domain.Type]
    ) -> ConfigurationSource {
        var flags = ConfigurationFlags()
        flags.listen = listen
        flags.database = database
        flags.development = development ? true : nil
        flags.loops = loops
        flags.logLevel = logLevel
        flags.logFormat = logFormat
        flags.tlsCertificate = tlsCertificate
        flags.tlsKey = tlsKey
        flags.clockStart = clockStart
        flags.clockSpeed = clockSpeed
        return ConfigurationSource(
            path: config,
            environment: environment,
            flags: flags,
            domains: domains.configurations
        )
    }

    package func load(
        environment: [String: String],
        domains: [any Domain.Type]
    ) throws -> LoadedConfiguration {
        do {
            return try source(environment: environment, domains: domains).load()
        } catch {
            throw Failure("configuration refused:\n\(error)")
        }
    }
}
