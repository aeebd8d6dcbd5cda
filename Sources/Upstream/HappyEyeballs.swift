import Reactor

/// Decides when each address of a name is tried (RFC 8305 "Happy Eyeballs Version 2", §5).
///
/// The first address is tried at once, each further one `attemptDelay` after the one before it, or
/// as soon as an attempt fails. Earlier attempts continue meanwhile: the first established
/// connection wins, and then the caller closes the others and drops this value. Addresses are
/// numbered in the caller's order, which `interleaved` returns.
///
/// At the beginning, after each failure and at the end of a wait, call `next` until it returns
/// `wait` or `failed`. This value reads no clock, opens no socket and does not sort by RFC 6724:
/// the resolver did.
package struct HappyEyeballs: Sendable {
    package enum Step: Equatable, Sendable {
        /// Try the address with this index now.
        case connect(Int)
        /// Start no attempt before this time; nil when all addresses are being tried and the
        /// attempts decide.
        case wait(until: MonotonicInstant?)
        /// Every attempt has failed.
        case failed
    }

    /// "The recommended value for a default delay is 250 milliseconds" (RFC 8305 §8).
    package static let attemptDelay = Duration.milliseconds(250)

    private let addressCount: Int
    private var startedCount = 0
    private var failedCount = 0
    /// The time at which the next address is due; nil for at once.
    private var nextStart: MonotonicInstant?

    package init(addressCount: Int) {
        precondition(addressCount >= 0)
        self.addressCount = addressCount
    }

    package mutating func next(now: MonotonicInstant) -> Step {
        guard failedCount < addressCount else { return .failed }
        guard startedCount < addressCount else { return .wait(until: nil) }
        if let nextStart, now < nextStart { return .wait(until: nextStart) }
        startedCount += 1
        nextStart = now + Self.attemptDelay
        return .connect(startedCount - 1)
    }

    /// Records that a started attempt has failed: the next address is tried at once.
    package mutating func attemptFailed() {
        precondition(failedCount < startedCount, "more attempts failed than were started")
        failedCount += 1
        nextStart = nil
    }

    /// Returns the addresses with alternating families, beginning with the family of the first (RFC
    /// 8305 §4). Within a family the resolver's order is kept.
    package static func interleaved<Address>(
        _ addresses: [Address],
        isIPv6: (Address) -> Bool
    ) -> [Address] {
        guard let first = addresses.first else { return [] }
        let isFirstIPv6 = isIPv6(first)
        var preferred = addresses.filter { isIPv6($0) == isFirstIPv6 }[...]
        var other = addresses.filter { isIPv6($0) != isFirstIPv6 }[...]
        var result: [Address] = []
        result.reserveCapacity(addresses.count)
        while result.count < addresses.count {
            if let address = preferred.popFirst() { result.append(address) }
            if let address = other.popFirst() { result.append(address) }
        }
        return result
    }
}
