/// Weights of terms, ascending by term. A term is the hash of a word.
struct TermVector: Equatable, Sendable {
    private(set) var terms: [UInt64] = []
    private(set) var weights: [Double] = []

    init() {}

    /// `terms` has to ascend.
    init(terms: [UInt64], weights: [Double]) {
        assert(terms.count == weights.count)
        assert(zip(terms, terms.dropFirst()).allSatisfy { $0 < $1 })
        self.terms = terms
        self.weights = weights
    }

    var count: Int { terms.count }
    var isEmpty: Bool { terms.isEmpty }

    /// The Euclidean length.
    var length: Double {
        weights.reduce(0) { $0 + $1 * $1 }.squareRoot()
    }

    /// The vector with a length of 1; an empty one stays as it is.
    var normalised: TermVector {
        let length = length
        guard length > 0 else { return self }
        return TermVector(terms: terms, weights: weights.map { $0 / length })
    }

    func dot(_ other: TermVector) -> Double {
        var sum = 0.0
        var (own, others) = (0, 0)
        while own < terms.count, others < other.terms.count {
            let (term, otherTerm) = (terms[own], other.terms[others])
            if term == otherTerm { sum += weights[own] * other.weights[others] }
            if term <= otherTerm { own += 1 }
            if otherTerm <= term { others += 1 }
        }
        return sum
    }

    /// The cosine of the angle between two vectors; 0 if one is empty.
    func cosine(_ other: TermVector) -> Double {
        let lengths = length * other.length
        return lengths > 0 ? dot(other) / lengths : 0
    }

    /// The sum of two vectors, `factor` times the other one. Terms that are not above 0 are
    /// left out.
    func adding(_ other: TermVector, times factor: Double = 1) -> TermVector {
        var sum = TermVector()
        sum.terms.reserveCapacity(count + other.count)
        sum.weights.reserveCapacity(count + other.count)
        var (own, others) = (0, 0)
        while own < terms.count || others < other.terms.count {
            let term = own < terms.count ? terms[own] : .max
            let otherTerm = others < other.terms.count ? other.terms[others] : .max
            var weight = 0.0
            if term <= otherTerm, own < terms.count {
                weight += weights[own]
                own += 1
            }
            if otherTerm <= term, others < other.terms.count {
                weight += factor * other.weights[others]
                others += 1
            }
            if weight > TermVector.weightMin { sum.append(min(term, otherTerm), weight) }
        }
        return sum
    }

    /// Smaller weights are rounding errors of a difference.
    private static let weightMin = 1e-9

    /// The `countMax` terms with the greatest weights; of equal weights, the lower terms.
    func heaviest(_ countMax: Int) -> TermVector {
        guard count > countMax else { return self }
        let order = terms.indices.sorted {
            (-weights[$0], terms[$0]) < (-weights[$1], terms[$1])
        }
        var kept = TermVector()
        for index in order.prefix(countMax).sorted() { kept.append(terms[index], weights[index]) }
        return kept
    }

    private mutating func append(_ term: UInt64, _ weight: Double) {
        terms.append(term)
        weights.append(weight)
    }
}
