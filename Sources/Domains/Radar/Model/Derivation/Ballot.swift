/// The opinions of a window, sorted into voices and days.
///
/// A voice is one configured source, or one author of pushed opinions. Its opinions of one UTC day
/// are one answer: `BallotRule.sameDayCorrelation` determines the weight of a second one.
/// Everything here depends on the set of opinions, not on their order: voices are sorted by their
/// keys, and sums go from the smallest summand to the greatest.
struct Ballot {
    struct Voice {
        /// The name of the source, or the author of pushed opinions.
        var name: String
        var isSource: Bool
        var provider: String
        /// In `voicesByProvider`.
        var providerIndex = 0
        var trust: Double
        /// Opinions that count.
        var opinions = 0
        /// Opinions that have left with an earlier model or question.
        var replacedOpinions = 0
        /// The mean of the stated confidences.
        var reportedConfidence = 0.0
        /// The UTC day of the newest opinion, counted from 1970-01-01.
        var lastDay = Int.min
    }

    /// The answers of one UTC day.
    struct Day {
        var number: Int
        /// By the index of the voice, ascending.
        var answers: [(voice: Int, tally: StanceTally, opinions: OpinionCounts)]
    }

    var voices: [Voice]
    /// The indices of the voices of each provider, by the provider's name.
    var voicesByProvider: [Range<Int>] = []
    /// Ascending.
    var days: [Day]
    /// Opinions that count.
    var counts = OpinionCounts()

    /// - Parameters:
    ///   - trust: weights by the name of the configured source; 1 for those that are not listed.
    ///   - series: the first segment of each source's present series; earlier ones do not count.
    init(_ opinions: [Opinion], trust: [String: Double], series: [String: Int]) {
        var grouped: [VoiceKey: [Vote]] = [:]
        for opinion in opinions { grouped[VoiceKey(opinion), default: []].append(Vote(opinion)) }
        voices = []
        var answers: [Int: Day] = [:]
        days = []
        for (key, all) in grouped.sorted(by: { $0.key < $1.key }) {
            let voice = voices.count
            let first = key.isSource ? series[key.name] ?? 0 : 0
            let present = all.filter { $0.segment >= first && $0.confidence > 0 }
            guard !present.isEmpty else { continue }
            let mean = orderedSum(present.map(\.confidence)) / Double(present.count)
            voices.append(
                Voice(
                    name: key.name,
                    isSource: key.isSource,
                    provider: key.provider,
                    trust: key.isSource ? trust[key.name] ?? 1 : 1,
                    opinions: present.count,
                    replacedOpinions: all.count { $0.segment < first },
                    reportedConfidence: mean
                )
            )
            for (number, votes) in Dictionary(grouping: present, by: \.dayNumber) {
                let (tally, counts) = Ballot.answer(votes, meanConfidence: mean)
                answers[number, default: Day(number: number, answers: [])]
                    .answers.append((voice, tally, counts))
                voices[voice].lastDay = max(voices[voice].lastDay, number)
            }
        }
        days = answers.values.sorted { $0.number < $1.number }
        voicesByProvider = Ballot.voicesByProvider(voices)
        for (index, range) in voicesByProvider.enumerated() {
            for voice in range { voices[voice].providerIndex = index }
        }
        counts = days.reduce(into: OpinionCounts()) { counts, day in
            for answer in day.answers { counts += answer.opinions }
        }
    }

    private static func voicesByProvider(_ voices: [Voice]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for (index, voice) in voices.enumerated() {
            if let last = ranges.last, voices[last.lowerBound].provider == voice.provider {
                ranges[ranges.count - 1] = last.lowerBound..<(index + 1)
            } else {
                ranges.append(index..<(index + 1))
            }
        }
        return ranges
    }

    /// Returns the answer of one voice on one day from its opinions.
    ///
    /// A confidence counts relative to the mean of its voice: a source that is always sure is no better
    /// than one that states nothing, but an opinion it is less sure of than usual counts for less.
    private static func answer(
        _ votes: [Vote],
        meanConfidence: Double
    ) -> (StanceTally, OpinionCounts) {
        var tally = StanceTally()
        var counts = OpinionCounts()
        let count = Double(votes.count)
        let scale = 1 / (1 + (count - 1) * BallotRule.sameDayCorrelation)
        for stance in Stance.allCases {
            let same = votes.filter { $0.stance == stance }
            counts[stance] = same.count
            let weights = same.map { ($0.confidence / meanConfidence + 1) / 2 }
            tally[stance] = orderedSum(weights) * scale
        }
        return (tally, counts)
    }
}

/// The rules by which opinions become answers.
package enum BallotRule {
    /// Of two opinions of one voice on one day: the same model with the same news.
    package static let sameDayCorrelation = 0.5
}

/// The identity of a voice.
private struct VoiceKey: Hashable, Comparable {
    var provider: String
    var name: String
    var isSource: Bool

    init(_ opinion: Opinion) {
        provider = opinion.provider
        name = opinion.source ?? opinion.author
        isSource = opinion.source != nil
    }

    static func < (left: VoiceKey, right: VoiceKey) -> Bool {
        (left.provider, left.name, left.isSource ? 0 : 1)
            < (right.provider, right.name, right.isSource ? 0 : 1)
    }
}

/// The numbers of opinions by stance, regardless of their weight.
package struct OpinionCounts: Sendable, Equatable {
    package var `for` = 0
    package var against = 0
    package var neutral = 0

    package init(for: Int = 0, against: Int = 0, neutral: Int = 0) {
        self.for = `for`
        self.against = against
        self.neutral = neutral
    }

    package var total: Int { self.for + against + neutral }

    package subscript(stance: Stance) -> Int {
        get {
            switch stance {
            case .for: self.for
            case .against: against
            case .neutral: neutral
            }
        }
        set {
            switch stance {
            case .for: self.for = newValue
            case .against: against = newValue
            case .neutral: neutral = newValue
            }
        }
    }

    static func += (left: inout OpinionCounts, right: OpinionCounts) {
        for stance in Stance.allCases { left[stance] += right[stance] }
    }
}

/// The part of an opinion that counts: it is copied often, and texts would make that slow.
private struct Vote {
    var dayNumber: Int
    var stance: Stance
    var confidence: Double
    var segment: Int

    init(_ opinion: Opinion) {
        dayNumber = opinion.createdAt.dayNumber
        stance = opinion.stance
        confidence = opinion.confidence
        segment = opinion.segment
    }
}

extension Timestamp {
    /// Days of UTC since 1970-01-01.
    var dayNumber: Int { Int(roundedDown(to: oneDay).wholeSeconds / oneDay.components.seconds) }
}
