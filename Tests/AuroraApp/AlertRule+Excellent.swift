import Configuration
import Duties

@testable import AuroraApp

extension AlertRule {
    /// The rule that the domain ships.
    static let auroraExcellent: AlertRule = {
        let vocabulary = AlertVocabulary(AuroraDomain.manifest.alertFields)
        let rule = AlertRule(.auroraExcellent, vocabulary: vocabulary) { key, message in
            preconditionFailure("\(key): \(message)")
        }
        guard let rule else { preconditionFailure("a rule without problems") }
        return rule
    }()
}
