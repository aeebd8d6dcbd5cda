// Radar: the common position of opinions on a topic, its certainty, and its trend over days.

/// The stance of an opinion, or of all of them together, on the topic.
package enum Stance: String, CaseIterable, Sendable {
    case `for`
    case against
    case neutral

    /// −1, 0 or 1: the numbers that are averaged.
    package var value: Int {
        switch self {
        case .for: 1
        case .against: -1
        case .neutral: 0
        }
    }

    /// The stance with this `value`; nil for another number.
    package init?(value: Int) {
        guard let stance = Stance.allCases.first(where: { $0.value == value }) else { return nil }
        self = stance
    }
}
