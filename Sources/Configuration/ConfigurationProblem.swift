/// One error in the configuration, and its location.
package struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// `varde.yaml:3:9`, `environment VARDE_LOOPS` or `flag --loops`.
    package let location: String
    /// The value found, and the expected one. Contains no secret.
    package let message: String

    package init(location: String, message: String) {
        self.location = location
        self.message = message
    }

    package var description: String { "\(location): \(message)" }
}

/// All errors in the configuration, in the order of the file.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// At least one.
    package let problems: [ConfigurationProblem]

    package init(_ problems: [ConfigurationProblem]) {
        precondition(!problems.isEmpty)
        self.problems = problems
    }

    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// The origin of a value.
package enum ConfigurationOrigin: Hashable, Sendable, CustomStringConvertible {
    case defaultValue
    case file(name: String, line: Int, column: Int)
    case environment(variable: String)
    case flag(name: String)
    case secret(SecretReference)

    package var description: String {
        switch self {
        case .defaultValue: "default"
        case .file(let name, let line, let column): "\(name):\(line):\(column)"
        case .environment(let variable): "environment \(variable)"
        case .flag(let name): "flag \(name)"
        case .secret(.file(let path)): "file \(path)"
        case .secret(.environment(let name)): "environment \(name)"
        case .secret(.credential(let name)): "credential \(name)"
        }
    }
}
