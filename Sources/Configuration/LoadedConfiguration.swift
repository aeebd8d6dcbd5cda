import Foundation
import Yams

/// The values set on the command line; nil and empty ones leave a value unchanged.
package struct ConfigurationFlags: Equatable, Sendable {
    package var listen: [String] = []
    package var database: String?
    package var development: Bool?
    package var loops: String?
    package var logLevel: String?
    package var logFormat: String?
    package var tlsCertificate: String?
    package var tlsKey: String?
    package var clockStart: String?
    package var clockSpeed: String?

    package init() {}
}

/// The effective configuration, with the origin of each value.
///
/// Later layers override earlier ones: defaults, file, environment, flags.
package struct LoadedConfiguration: Sendable {
    package private(set) var configuration = Configuration()
    /// The keys that the configuration may have.
    package let schema: ConfigurationSchema
    /// Keys that were set by their former names.
    package private(set) var movedKeys: [MovedKey] = []
    /// Secrets in the file that the environment replaces.
    package private(set) var replacedSecrets: [ReplacedSecrets] = []
    private var origins: [String: ConfigurationOrigin] = [:]

    /// The maximum size of a file, which is read as a whole; enough for about ten thousand keys.
    package static let fileBytesMax = 1 << 20

    /// - Parameters:
    ///   - file: a name for error texts, and the YAML; nil for none.
    ///   - environment: all variables of the process; an empty variable counts as not set.
    ///   - domains: those whose sections the file may have.
    /// - Throws: all problems of the first layer that has some, or of the layers together.
    package init(
        file: (name: String, text: String)?,
        environment: [String: String] = [:],
        flags: ConfigurationFlags = ConfigurationFlags(),
        domains: [DomainConfiguration]
    ) throws(ConfigurationError) {
        schema = ConfigurationSchema(domains)
        configuration.alerts = domains.flatMap(\.defaultAlerts)
        if let file {
            try read(
                LoadedConfiguration.compose(file.text, name: file.name),
                .file(name: file.name),
                SecretPlaces(environment: environment)
            )
        }
        replacedSecrets = secrets(replacedBy: environment)
        var problems: [ConfigurationProblem] = []
        for override in LoadedConfiguration.overrides(environment, flags) {
            do {
                try read(override.node, .origin(override.origin))
            } catch {
                problems += error.problems
            }
        }
        var reader = ConfigurationReader(source: .origin(.defaultValue), schema: schema)
        configuration.sections.read(environment, &reader)
        origins.merge(reader.origins) { $1 }
        problems += reader.problems
        if problems.isEmpty {
            var checker = ConfigurationChecker(origins: origins)
            schema.check(configuration, &checker)
            problems = checker.problems
        }
        if !problems.isEmpty { throw ConfigurationError(problems) }
    }

    /// Reads the file at `path`, then continues as `init(file:environment:flags:domains:)`.
    package static func load(
        path: String?,
        environment: [String: String],
        flags: ConfigurationFlags,
        domains: [DomainConfiguration]
    ) throws(ConfigurationError) -> LoadedConfiguration {
        guard let path else {
            return try LoadedConfiguration(
                file: nil,
                environment: environment,
                flags: flags,
                domains: domains
            )
        }
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw .one(path, "cannot be read: \(error.reason)")
        }
        guard bytes.count <= fileBytesMax else {
            throw .one(path, "found \(bytes.count) bytes, expected at most \(fileBytesMax)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .one(path, "found bytes that are not UTF-8")
        }
        return try LoadedConfiguration(
            file: (name: path, text: text),
            environment: environment,
            flags: flags,
            domains: domains
        )
    }

    // MARK: - Results

    /// Returns the effective configuration as YAML with the origin of each value; secrets are
    /// masked.
    package func describe() -> String {
        var listing = ConfigurationListing(origins: origins)
        listing.keys(schema.fields, of: configuration, "")
        return listing.text
    }

    /// Returns the origin of the value at `path`, such as `limits.idle_timeout` or
    /// `alerts[0].when`.
    package func origin(of path: String) -> ConfigurationOrigin {
        origins[path] ?? .defaultValue
    }

    /// Returns a problem with the value at `path` that is only detected when the value is used,
    /// such as a condition that does not compile.
    package func problem(at path: String, _ message: String) -> ConfigurationProblem {
        ConfigurationProblem(at: path, origins: origins, message)
    }

    // MARK: - Layers

    private mutating func read(
        _ node: Node?,
        _ source: ConfigurationReader.Source,
        _ secrets: SecretPlaces = SecretPlaces(environment: [:])
    ) throws(ConfigurationError) {
        guard let node else { return }
        var reader = ConfigurationReader(source: source, schema: schema, secrets: secrets)
        reader.fields(schema.fields, of: &configuration, node, "")
        reader.readMoved(into: &configuration)
        movedKeys += reader.moved.map(\.key)
        if !reader.problems.isEmpty { throw ConfigurationError(reader.problems) }
        origins.merge(reader.origins) { $1 }
    }

    /// Returns the secrets of the file that variables replace with others. Call it before the
    /// overrides are read.
    private func secrets(replacedBy environment: [String: String]) -> [ReplacedSecrets] {
        ReplacedSecrets.Variable.all.compactMap { variable in
            let secrets = variable.secrets(configuration)
            guard let text = environment[variable.name], !text.isEmpty,
                secrets.contains(where: { $0.revealed != text })
            else { return nil }
            let path = variable.path.joined(separator: ".")
            return ReplacedSecrets(
                path: path,
                variable: variable.name,
                count: secrets.count,
                origin: origins.filter { $0.key.hasPrefix(path) }.min { $0.key < $1.key }?.value
                    ?? .defaultValue
            )
        }
    }

    private static func overrides(
        _ environment: [String: String],
        _ flags: ConfigurationFlags
    ) -> [(origin: ConfigurationOrigin, node: Node)] {
        var overrides: [(origin: ConfigurationOrigin, node: Node)] = []
        func add(_ origin: ConfigurationOrigin, _ path: [String], _ value: Node) {
            let node = path.reversed().reduce(value) { inner, key in Node([(Node(key), inner)]) }
            overrides.append((origin, node))
        }
        func variable(_ name: String, _ path: String..., isList: Bool = false) {
            guard let text = environment[name], !text.isEmpty else { return }
            let parts = text.split(separator: ",").map { Node(String($0.trimmed)) }
            add(.environment(variable: name), path, isList ? Node(parts) : Node(text))
        }
        func flag(_ name: String, _ path: String..., text: String?) {
            guard let text else { return }
            add(.flag(name: name), path, Node(text))
        }
        variable("VARDE_LISTEN", "listen", isList: true)
        variable("VARDE_DATABASE", "database")
        variable("VARDE_DEVELOPMENT", "development")
        variable("VARDE_LOOPS", "loops")
        variable("VARDE_IO_URING", "io_uring")
        variable("VARDE_LOG_LEVEL", "log_level")
        variable("VARDE_LOG_FORMAT", "log_format")
        variable("VARDE_TLS_CERTIFICATE", "tls", "certificate")
        variable("VARDE_TLS_KEY", "tls", "key")
        variable("VARDE_CLOCK_START", "clock", "start")
        variable("VARDE_CLOCK_SPEED", "clock", "speed")
        // Each is one text, which may contain any characters.
        for variable in ReplacedSecrets.Variable.all {
            guard let text = environment[variable.name], !text.isEmpty else { continue }
            let node = Node([Node(text, .implicit, .doubleQuoted)])
            add(.environment(variable: variable.name), variable.path, node)
        }
        if !flags.listen.isEmpty {
            add(.flag(name: "--listen"), ["listen"], Node(flags.listen.map { Node($0) }))
        }
        flag("--database", "database", text: flags.database)
        flag("--development", "development", text: flags.development.map { "\($0)" })
        flag("--loops", "loops", text: flags.loops)
        flag("--log-level", "log_level", text: flags.logLevel)
        flag("--log-format", "log_format", text: flags.logFormat)
        flag("--tls-certificate", "tls", "certificate", text: flags.tlsCertificate)
        flag("--tls-key", "tls", "key", text: flags.tlsKey)
        flag("--clock-start", "clock", "start", text: flags.clockStart)
        flag("--clock-speed", "clock", "speed", text: flags.clockSpeed)
        return overrides
    }
}

// MARK: - YAML

extension LoadedConfiguration {
    /// Returns the tree of one YAML document; nil for an empty one.
    package static func compose(
        _ text: String,
        name: String
    ) throws(ConfigurationError) -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw .one(name, error)
        } catch {
            throw .one(name, "\(error)")
        }
    }
}

extension ConfigurationError {
    package static func one(_ location: String, _ message: String) -> ConfigurationError {
        ConfigurationError([ConfigurationProblem(location: location, message: message)])
    }

    fileprivate static func one(_ file: String, _ error: YamlError) -> ConfigurationError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return one("\(file):\(mark)", "not YAML: \(problem)")
        case .duplicatedKeysInMapping(let keys, let context):
            let names = keys.map { "\"\($0)\"" }.joined(separator: ", ")
            return one(
                "\(file):\(context.mark)",
                "found \(names) more than once, expected each once"
            )
        case .reader(let problem, _, _, _):
            return one(file, "not YAML: \(problem)")
        case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            return one(file, "not YAML: \(error)")
        }
    }
}
