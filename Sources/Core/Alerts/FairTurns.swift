/// Gives turns to owners whose work differs in cost: deficit round robin.
///
/// Each owner gets the same credit in a round, and is served while its credit covers the cost of
/// its next work. Credit that does not suffice accumulates over rounds, so that expensive work is
/// also done, but less often. An idle owner keeps no credit.
///
/// Costs are numbers that are known before the work is done. Time is not measured: the turns are
/// the same on every machine.
///
/// **Use.** `join` whenever an owner has work. Then, as long as there is an `owner`: `pay` the cost of its next
/// piece of work, and do that if it was paid; `leave` when there is none.
package struct FairTurns<Owner: Hashable & Sendable>: Sendable {
    /// The credit that each owner gets in a round.
    package let quantum: Int
    private var ring: [Owner] = []
    private var credits: [Owner: Int] = [:]
    /// Of `owner`.
    private var position = 0
    /// Whether the owner has its credit of this round.
    private var isCredited = false

    package init(quantum: Int) {
        precondition(quantum > 0, "a round without credit ends nothing")
        self.quantum = quantum
    }

    /// The owner whose turn it is; nil if no work is waiting.
    package var owner: Owner? { ring.isEmpty ? nil : ring[position] }

    package var count: Int { ring.count }

    /// Puts an owner behind all others; nothing for one that is among them.
    package mutating func join(_ owner: Owner) {
        guard credits[owner] == nil else { return }
        credits[owner] = 0
        // Right before the one whose turn it is: the last in the round.
        ring.insert(owner, at: position)
        if ring.count > 1 { advance() }
    }

    /// Pays for the next piece of work of `owner`; false when its credit does not cover that, and it is the
    /// next one's turn.
    package mutating func pay(_ cost: Int) -> Bool {
        precondition(cost >= 0, "cost \(cost)")
        guard let owner, var credit = credits[owner] else { return false }
        if !isCredited { credit += quantum }
        isCredited = true
        let isPaid = credit >= cost
        if isPaid { credit -= cost }
        credits[owner] = credit
        if !isPaid { pass() }
        return isPaid
    }

    /// Takes `owner` out, who has nothing left to do.
    package mutating func leave() {
        guard let owner else { return }
        ring.remove(at: position)
        credits[owner] = nil
        isCredited = false
        if position == ring.count { position = 0 }
    }

    /// To the next owner.
    private mutating func pass() {
        isCredited = false
        advance()
    }

    private mutating func advance() {
        position = position + 1 == ring.count ? 0 : position + 1
    }
}
