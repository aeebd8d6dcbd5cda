import Configuration

extension AlertRule {
    /// Compiles a configured rule; returns nil if it is invalid, after reporting each error with
    /// its key.
    package init?(
        _ alert: Configuration.Alert,
        owner: String? = nil,
        vocabulary: AlertVocabulary,
        report: (_ key: String, _ message: String) -> Void
    ) {
        var compiler = AlertConditionCompiler(known: vocabulary.fields(ofTopics: alert.topics))
        let when = compiler.compile(alert.when, "when", report)
        let until = alert.until.map { compiler.compile($0, "until", report) }
        let escalations = alert.escalate.enumerated().map { index, escalation in
            compiler.compile(escalation.when, "escalate[\(index)].when", report).map {
                AlertEscalation(severity: AlertSeverity(escalation.severity), when: $0)
            }
        }
        let quiet = alert.quiet.map { QuietHours(from: $0.from, to: $0.to, zone: $0.zone) }
        if let quiet, quiet == nil { report("quiet", "the hours begin when they end") }
        let knowsLanguage = alert.language.map {
            AlertRule.knows($0, vocabulary.languages(ofTopics: alert.topics), report)
        }
        guard let when, compiler.isSound, knowsLanguage != false, quiet == nil || quiet! != nil
        else { return nil }
        do throws(AlertRuleError) {
            try self.init(
                name: alert.name,
                topics: alert.topics,
                when: when,
                until: until ?? nil,
                hold: alert.hold,
                keep: alert.keep,
                cooldown: alert.cooldown,
                severity: AlertSeverity(alert.severity),
                escalations: escalations.compactMap(\.self),
                quiet: quiet ?? nil,
                language: alert.language,
                owner: owner
            )
        } catch {
            report(error.key, "\(error)")
            return nil
        }
    }

    private static func knows(
        _ language: String,
        _ languages: [String],
        _ report: (_ key: String, _ message: String) -> Void
    ) -> Bool {
        if languages.contains(language) { return true }
        let expected =
            languages.isEmpty
            ? "none: events of these topics have no headlines in several languages"
            : "one of \(languages.joined(separator: ", "))"
        report("language", "found \"\(language)\", expected \(expected)")
        return false
    }
}

/// Compiles the conditions of one rule, and checks their names against the fields of the topics'
/// events.
private struct AlertConditionCompiler {
    let known: Set<String>?
    private(set) var isSound = true

    init(known: Set<String>?) {
        self.known = known
    }

    mutating func compile(
        _ text: String,
        _ key: String,
        _ report: (String, String) -> Void
    ) -> AlertExpression? {
        let expression: AlertExpression
        do throws(AlertExpressionError) { expression = try AlertExpression(text) } catch {
            isSound = false
            report(key, "\(error)")
            return nil
        }
        guard let known, let (name, column) = expression.firstField(notIn: known) else {
            return expression
        }
        isSound = false
        let nearest = NearestName.find(name, among: known.sorted())
        let hint = nearest.map { ", did you mean \"\($0)\"?" } ?? ""
        report(key, "column \(column): no event has a field \"\(name)\"\(hint)")
        return nil
    }
}

extension AlertRuleError {
    /// The configuration key that has the error.
    fileprivate var key: String {
        switch self {
        case .badName: "name"
        case .badTopics, .longTopics: "topics"
        case .badDuration(let key, _): key
        case .tooManyEscalations, .idleEscalation: "escalate"
        }
    }
}

extension AlertSeverity {
    package init(_ severity: Configuration.Severity) {
        switch severity {
        case .info: self = .info
        case .warning: self = .warning
        case .critical: self = .critical
        }
    }
}
