import Configuration
import Yams

/// Reads rules that are not in the hub's own configuration, but in a request or in a file to check.
/// The rules for valid values, and the positions of errors, are those of the configuration.
package enum AlertRuleReader {
    /// The maximum length of a request's content with one rule.
    package static let bytesMax = 16 << 10

    /// Reads one rule in JSON.
    package static func rule(
        json bytes: [UInt8],
        owner: String?,
        vocabulary: AlertVocabulary
    ) throws(ConfigurationError) -> (settings: Configuration.Alert, rule: AlertRule) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .one("rule", "found bytes that are not UTF-8")
        }
        do throws(JSONError) { _ = try JSONReader.value(of: bytes[...]) } catch {
            throw .one("rule", "not JSON: \(error)")
        }
        // JSON is also valid YAML, except for pairs of escaped surrogates.
        guard let node = try LoadedConfiguration.compose(text, name: "rule") else {
            throw .one("rule", "found nothing, expected a rule")
        }
        var reader = ConfigurationReader(source: .file(name: "rule"))
        var settings = Configuration.Alert()
        reader.section(node, "", &settings)
        if !reader.problems.isEmpty { throw ConfigurationError(reader.problems) }
        // A missing key is reported at the position of the rule as a whole.
        var origins = reader.origins
        origins[""] = .file(name: "rule", line: 1, column: 1)
        var checker = ConfigurationChecker(origins: origins)
        checker.section(settings, "")
        if !checker.problems.isEmpty { throw ConfigurationError(checker.problems) }
        var problems: [ConfigurationProblem] = []
        let rule = AlertRule(settings, owner: owner, vocabulary: vocabulary) {
            problems.append(ConfigurationProblem(at: $0, origins: origins, $1))
        }
        guard let rule else { throw ConfigurationError(problems) }
        return (settings, rule)
    }

    /// Reads the rules of a file: a configuration, of which only `alerts` is used, or a list of
    /// rules.
    package static func rules(
        yaml text: String,
        name: String,
        vocabulary: AlertVocabulary
    ) throws(ConfigurationError) -> [AlertRule] {
        guard let node = try LoadedConfiguration.compose(text, name: name) else {
            throw .one(name, "found nothing, expected rules")
        }
        let list: Node
        switch node {
        case .sequence: list = node
        case .mapping(let mapping):
            guard let alerts = mapping["alerts"] else {
                throw .one(name, "found no key \"alerts\", expected one with a list of rules")
            }
            list = alerts
        case .scalar, .alias: throw .one(name, "found no list, expected a list of rules")
        }
        var reader = ConfigurationReader(source: .file(name: name))
        var section = AlertRuleList()
        reader.section(Node([(Node("alerts"), list)]), "", &section)
        var problems = reader.problems
        if problems.isEmpty {
            var checker = ConfigurationChecker(origins: reader.origins)
            checker.section(section, "")
            problems = checker.problems
        }
        var rules: [AlertRule] = []
        if problems.isEmpty {
            rules = section.alerts.enumerated().compactMap { index, alert in
                AlertRule(alert, vocabulary: vocabulary) {
                    problems.append(
                        ConfigurationProblem(
                            at: "alerts[\(index)].\($0)",
                            origins: reader.origins,
                            $1
                        )
                    )
                }
            }
        }
        if !problems.isEmpty { throw ConfigurationError(problems) }
        return rules
    }
}

/// The part of the configuration that has the rules.
private struct AlertRuleList: ConfigurationSection {
    var alerts: [Configuration.Alert] = []

    static var fields: [ConfigurationField<AlertRuleList>] {
        [.list("alerts", \.alerts, counts: 0...256, identity: (name: "name", value: \.name))]
    }
}

/// For `varde rules check`.
///
/// - Returns: the names of the rules, in the order of the file.
package func checkedRules(
    yaml text: String,
    name: String,
    vocabulary: AlertVocabulary
) throws(ConfigurationError) -> [String] {
    try AlertRuleReader.rules(yaml: text, name: name, vocabulary: vocabulary).map(\.name)
}
