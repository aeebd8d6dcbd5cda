import Aurora
import DomainKit

/// A client's question about a place.
package enum AuroraQuestion: Hashable, Sendable {
    case now(Language)
    case tonight(Language)
    case hourly
    case forecast(days: Int)
    case oval
}

/// Bytes that are sent as they are, and their validator.
package struct AuroraAnswer: Hashable, Sendable {
    package let body: [UInt8]
    package let tag: EntityTag

    package init(_ body: [UInt8]) {
        self.body = body
        tag = EntityTag(of: body)
    }
}

/// The answers that were asked for since the last change.
///
/// Bounded by the questions there are: a dozen for each configured place.
package struct ReadyAnswers: Sendable {
    package struct Key: Hashable, Sendable {
        package var question: AuroraQuestion
        package var place: String
    }

    package private(set) var ready: [Key: AuroraAnswer] = [:]
    /// Counts the changes.
    package private(set) var generation = 0

    package mutating func forget() {
        generation += 1
        ready.removeAll(keepingCapacity: true)
    }

    /// - Parameter generation: when the answer was begun. An answer from an earlier state is not
    ///   kept.
    package mutating func keep(_ answer: AuroraAnswer, for key: Key, generation: Int) {
        guard generation == self.generation else { return }
        ready[key] = answer
    }
}

extension AuroraPipeline {
    package func body(of question: AuroraQuestion, place: Place) -> [UInt8]? {
        switch question {
        case .now(let language):
            guard isKnown(place.id) else { return nil }
            return derivations[place.id]?.conditions.json(language: language)
        case .tonight(let language):
            return outlook(of: place).map { Tonight($0).json(language: language) }
        case .hourly: return outlook(of: place)?.hourlyJSON()
        case .forecast(let days): return outlook(of: place)?.forecastJSON(days: days)
        case .oval: return ovalMap(of: place)?.json()
        }
    }
}
