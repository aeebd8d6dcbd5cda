import Radar

/// A source whose answers follow a distribution over the stances.
package struct SimulatedSource: Sendable {
    package var provider: String
    /// Of its answers before the change.
    package var answers: StanceTally
    /// Answers of one day.
    package var answersPerDay = 1
    /// The probability that a day's poll fails.
    package var failure = 0.0
    /// The day from which on it never answers.
    package var endDay: Int?
    /// Its model is replaced after so many days, again and again; the next one answers alike.
    package var replacedEvery: Int?
    /// The confidence that it states; nil for one that states nothing, for which the hub keeps ½.
    package var confidence: Double?

    package init(_ answers: StanceTally, provider: String) {
        self.answers = answers
        self.provider = provider
    }
}

/// A change of the answers of all sources: for and against change places.
package enum SimulatedChange: Sendable, Equatable {
    case none
    case reversal(day: Int)
    /// The answers drift from one side to the other.
    case drift(day: Int, days: Int)

    /// Returns the part of the change that has come on a day, 0 to 1.
    package func part(day: Int) -> Double {
        switch self {
        case .none: 0
        case .reversal(let first): day >= first ? 1 : 0
        case .drift(let first, let days): min(1, max(0, Double(day - first) / Double(days)))
        }
    }

    package func applied(to answers: StanceTally, day: Int) -> StanceTally {
        let part = part(day: day)
        let mirrored = StanceTally(
            for: answers.against,
            against: answers.for,
            neutral: answers.neutral
        )
        return answers * (1 - part) + mirrored * part
    }
}

/// The sources of one simulated radar.
package struct SimulatedRadar: Sendable {
    package var sources: [SimulatedSource]
    package var change: SimulatedChange

    package init(_ sources: [SimulatedSource], change: SimulatedChange = .none) {
        self.sources = sources
        self.change = change
    }

    /// Returns the answers of the sources on a day, in a random order.
    func opinions(day: Int, _ random: inout SimulationRandom) -> [Opinion] {
        var opinions: [Opinion] = []
        for (index, source) in sources.enumerated() {
            for number in 0..<source.answersPerDay {
                let isSilent = source.endDay.map { day >= $0 } ?? false
                guard !random.isTrue(source.failure), !isSilent else { continue }
                let answers = change.applied(to: source.answers, day: day)
                opinions.append(
                    opinion(index, day, number, random.stance(answers), &random)
                )
            }
        }
        return opinions.shuffled(using: &random)
    }

    /// The mean stance of the sources on a day, each provider once.
    func score(day: Int) -> Double {
        let scores = Dictionary(grouping: sources, by: \.provider).values.map { sources in
            sources.map { change.applied(to: $0.answers, day: day).score }.reduce(0, +)
                / Double(sources.count)
        }
        return scores.reduce(0, +) / Double(scores.count)
    }

    private func opinion(
        _ index: Int,
        _ day: Int,
        _ number: Int,
        _ stance: Stance,
        _ random: inout SimulationRandom
    ) -> Opinion {
        let source = sources[index]
        let model = source.replacedEvery.map { day / $0 } ?? 0
        let spread = 0.05
        let confidence = source.confidence.map {
            min(1, max(0, $0 + Double.random(in: -spread...spread, using: &random)))
        }
        let hour = 12 * (number + 1) / source.answersPerDay
        return Opinion(
            id: "\(day)-\(index)-\(number)",
            radarID: "radar",
            author: "source \(index)",
            model: "model \(model)",
            content: "content",
            stance: stance,
            confidence: confidence ?? 0.5,
            createdAt: SimulatedRadar.time(day: day) + .seconds(3600 * hour),
            source: "source \(index)",
            provider: source.provider,
            promptVersion: "1"
        )
    }

    static func time(day: Int) -> Timestamp {
        Timestamp(milliseconds: Int64(day + SimulatedRadar.firstDay) * 86_400_000)
    }

    /// 2026-01-01, counted from 1970.
    private static let firstDay = 20_454
}

/// The position that belongs to a score.
func position(ofScore score: Double) -> Stance {
    if score >= PositionRule.leaningMin { return .for }
    return score <= -PositionRule.leaningMin ? .against : .neutral
}
