import Aurora
import DomainKit

/// The subjects of alert rules for places: the conditions of a place are evaluated whenever they
/// are derived, in the change that publishes them.
package struct AuroraAlertSubjects: AlertSubjects {
    private let places: [String: Place]

    package init(places: [Place]) {
        self.places = Dictionary(places.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The rows of places were there before those of other domains.
    package let rowPrefix = ""
    /// Each derivation has all values.
    package let fieldsDomain: String? = nil

    package func subject(_ id: String) -> AlertSubject? {
        places[id].map { place in
            AlertSubject(
                topic: auroraTopic(place),
                alertsTopic: auroraAlertsTopic(place),
                domain: AuroraPipeline.domain,
                id: place.id
            )
        }
    }

    /// The values of a derivation by the names that rules have for them.
    static func values(of derivation: Derivation) -> [String: AlertValue] {
        var values: [String: AlertValue] = [:]
        for (name, value) in alertFields(derivation) { values[name] = AlertValue(value) }
        return values
    }
}

extension AlertValue {
    fileprivate init(_ field: AuroraField) {
        switch field {
        case .number(let number): self = .number(number)
        case .text(let text): self = .text(text)
        }
    }
}
