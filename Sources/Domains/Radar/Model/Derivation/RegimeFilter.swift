/// The beginning of the present regime of answers: for each day, the probability that it began
/// then.
///
/// A Bayesian filter over the length of the present run (Adams & MacKay 2007, arXiv:0710.3742).
/// Within a regime each voice draws its answers from one distribution over the stances, with a
/// prior of `prior` for each stance (Dirichlet–multinomial). Each day with answers begins a new
/// regime with the probability `hazard`. So the noise of a voice is learned: three answers against
/// are a change after weeks of `for`, but not from a voice that has always answered both.
///
/// All answers of a day are processed at once: their order does not matter.
struct RegimeFilter {
    struct Regime {
        /// The index of its first day in the ballot.
        var start: Int
        var probability: Double
        /// The answers of each voice since then.
        var tallies: [StanceTally]
    }

    /// By their first days, ascending; the first one began before the window.
    private(set) var regimes: [Regime] = []

    /// A change every two hundred days of answers.
    package static let hazard = 0.005
    /// Below ½: most voices that can be asked give nearly always the same answer.
    package static let prior = 1.0 / 3
    /// Less probable regimes are skipped.
    private static let probabilityMin = 1e-6

    init(_ ballot: Ballot) {
        let empty = [StanceTally](repeating: StanceTally(), count: ballot.voices.count)
        for (index, day) in ballot.days.enumerated() {
            if regimes.isEmpty {
                regimes = [Regime(start: index, probability: 1, tallies: empty)]
            } else {
                regimes.append(Regime(start: index, probability: 0, tallies: empty))
                weigh(with: day)
            }
            for regime in regimes.indices {
                for answer in day.answers {
                    regimes[regime].tallies[answer.voice] += answer.tally
                }
            }
        }
    }

    /// Bayes' theorem for the answers of a day, with the last regime as the one that they may begin.
    private mutating func weigh(with day: Ballot.Day) {
        let logarithms = regimes.map { RegimeFilter.logarithm(of: day, after: $0.tallies) }
        // The likelihood of many answers is below every double; only the ratios matter.
        let most = logarithms.max() ?? 0
        let last = regimes.count - 1
        for regime in regimes.indices {
            let before =
                regime == last
                ? RegimeFilter.hazard : (1 - RegimeFilter.hazard) * regimes[regime].probability
            regimes[regime].probability = before * exponential(logarithms[regime] - most)
        }
        let sum = regimes.reduce(0) { $0 + $1.probability }
        for regime in regimes.indices { regimes[regime].probability /= sum }
        let first = regimes.removeFirst()
        regimes.removeAll { $0.probability < RegimeFilter.probabilityMin }
        regimes.insert(first, at: 0)
    }

    /// The regime that most probably lasts.
    var mostProbable: Regime? {
        regimes.max { ($0.probability, $1.start) < ($1.probability, $0.start) }
    }

    /// Of the likelihood of a day's answers, given earlier ones.
    private static func logarithm(of day: Ballot.Day, after tallies: [StanceTally]) -> Double {
        var logarithm = 0.0
        for answer in day.answers {
            let earlier = tallies[answer.voice]
            let sum = earlier.sum + 3 * prior
            func term(_ stance: Stance) -> Double {
                guard answer.tally[stance] > 0 else { return 0 }
                return answer.tally[stance] * naturalLogarithm((earlier[stance] + prior) / sum)
            }
            logarithm += (term(.for) + term(.against)) + term(.neutral)
        }
        return logarithm
    }
}
