import DequeModule

/// Records why a client did not receive a publication, for operators.
///
/// **Function.** Deliveries are not recorded, because they are the rule: a client received an
/// offset if it was subscribed then, and nothing else was noted. The record has the beginning and
/// end of each subscription, refusals, and the exceptions: offsets that were filtered, conflated,
/// dropped, or trimmed before the client came back. Neighbouring offsets of one exception are one
/// entry.
///
/// **Duties of the caller.** Keep the handle of each subscription, and call `end` once. Note
/// exceptions in the order of their offsets, as far as possible; another order is also correct, but
/// takes more entries.
///
/// **Limits.** The numbers of subscriptions and of ranges of exceptions are limited; the newest
/// range of each subscription does not count. Subscriptions that ended first are evicted first, and
/// active ones never; if all are active, further ones are not recorded, and for their topics no
/// client is reported as not subscribed from then on. The oldest exceptions are evicted first.
///
/// If an evicted entry could change the answer, it is `unknown`, with two exceptions: an evicted
/// refusal is answered with `notSubscribed`, and a recorded exception is reported even if the
/// client received the publication in another subscription, which was evicted.
///
/// **Not done here:** publications outside of the history have no offset to ask for; the end of a
/// connection shows whether the bytes passed to it arrived.
package struct ExplainRecord: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        /// Handed to the client's connection.
        case delivered
        case filtered
        case conflated
        case dropped
        /// Evicted from the history before the client came back for it.
        case trimmed
        /// The client had asked for the topic and was refused.
        case notAuthorized
        case notSubscribed
        case notPublished
        /// Nothing is known of it any more.
        case unknown
    }

    /// Why a subscriber did not get a publication.
    package enum Exception: UInt8, Sendable, CaseIterable {
        case filtered
        case conflated
        case dropped
        case trimmed

        package var outcome: Outcome {
            switch self {
            case .filtered: .filtered
            case .conflated: .conflated
            case .dropped: .dropped
            case .trimmed: .trimmed
            }
        }
    }

    /// The hook by which a client was refused a topic, and its answer.
    ///
    /// A class, so that the entries of other subscriptions stay small.
    package final class HookRefusal: Sendable {
        package let hook: String
        package let answer: String

        package init(hook: String, answer: String) {
            self.hook = hook
            self.answer = answer
        }
    }

    /// Names a subscription from `begin` to `end`.
    package struct Handle: Hashable, Sendable {
        fileprivate let slot: Int32
        fileprivate let number: UInt64

        /// Of a subscription that there was no room for; everything with it does nothing.
        package static let unrecorded = Handle(slot: -1, number: 0)
    }

    private struct Subscription: Sendable {
        let client: String
        let topic: Topic
        /// Distinguishes it from earlier ones in its slot; a later one has a greater number.
        let number: UInt64
        let isRefused: Bool
        /// Of a refusal by a hook.
        var refusal: HookRefusal?
        /// Its publications begin after this offset.
        let after: UInt64
        /// The last offset that it was given; nil while it goes on.
        var through: UInt64?
        /// Exceptions up to this offset may have been evicted.
        var forgottenThrough: UInt64 = 0
        /// Its newest exceptions, as long as further ones join them. They are kept here, so that many
        /// subscriptions with a long range each don't take the others' room.
        var newest: Exceptions?

        func covers(_ offset: UInt64) -> Bool { offset > after && offset <= through ?? .max }
    }

    private struct Exceptions: Sendable {
        let exception: Exception
        var offsets: ClosedRange<UInt64>

        /// False when these are others or lie elsewhere.
        mutating func join(_ exception: Exception, _ offsets: ClosedRange<UInt64>) -> Bool {
            guard exception == self.exception, self.offsets.upperBound < offsets.lowerBound,
                self.offsets.upperBound + 1 == offsets.lowerBound
            else { return false }
            self.offsets = self.offsets.lowerBound...offsets.upperBound
            return true
        }
    }

    /// Exceptions that are not the newest of their subscription.
    private struct Former: Sendable {
        let slot: Int32
        let number: UInt64
        let exceptions: Exceptions
    }

    /// The number of places for `forgottenThrough`. The hash of a topic selects its place, which
    /// other topics may share: with 1024, few do.
    private static let forgottenPlaces = 1024

    package let subscriptionsMax: Int
    package let exceptionsMax: Int
    /// By the slot; nil where it is free.
    private var subscriptions: [Subscription?] = []
    private var freeSlots: [Int32] = []
    /// The slots of ended subscriptions, in the order in which they ended.
    private var ended: Deque<Int32> = []
    private var nextNumber: UInt64 = 1
    /// Oldest first.
    private var former: Deque<Former> = []
    /// By the hash of a topic: evicted subscriptions received offsets up to this one.
    private var forgottenThrough: [UInt64]

    package init(subscriptionsMax: Int, exceptionsMax: Int) {
        precondition((1...Int(Int32.max)).contains(subscriptionsMax))
        precondition(exceptionsMax > 0)
        self.subscriptionsMax = subscriptionsMax
        self.exceptionsMax = exceptionsMax
        forgottenThrough = Array(repeating: 0, count: Self.forgottenPlaces)
    }

    /// The number of subscriptions and refusals recorded.
    package var subscriptionCount: Int { subscriptions.count - freeSlots.count }

    /// The number of ranges of exceptions, without the newest of each subscription.
    package var exceptionCount: Int { former.count }

    // MARK: Events

    /// A client subscribed, and receives publications with offsets greater than `offset`: the
    /// topic's newest, or the client's last position if it recovers.
    ///
    /// - Complexity: O(1), as are all of these.
    package mutating func begin(client: String, topic: Topic, after offset: UInt64) -> Handle {
        guard let slot = takeSlot() else {
            forget(topic, through: .max)
            return .unrecorded
        }
        let number = takeNumber()
        subscriptions[Int(slot)] = Subscription(
            client: client,
            topic: topic,
            number: number,
            isRefused: false,
            after: offset,
            through: nil
        )
        return Handle(slot: slot, number: number)
    }

    /// A client was refused a topic whose newest offset is `offset`.
    package mutating func refuse(
        client: String,
        topic: Topic,
        at offset: UInt64,
        by refusal: HookRefusal? = nil
    ) {
        guard let slot = takeSlot() else { return }
        subscriptions[Int(slot)] = Subscription(
            client: client,
            topic: topic,
            number: takeNumber(),
            isRefused: true,
            refusal: refusal,
            after: offset,
            through: nil
        )
        ended.append(slot)
    }

    /// The subscription did not get these offsets.
    package mutating func note(
        _ exception: Exception,
        _ offsets: ClosedRange<UInt64>,
        of handle: Handle
    ) {
        guard handle != .unrecorded else { return }
        let slot = Int(handle.slot)
        precondition(subscriptions[slot]?.number == handle.number, "it has ended")
        if subscriptions[slot]!.newest?.join(exception, offsets) == true { return }
        if let newest = subscriptions[slot]!.newest {
            if former.count == exceptionsMax { forgetException() }
            former.append(Former(slot: handle.slot, number: handle.number, exceptions: newest))
        }
        subscriptions[slot]!.newest = Exceptions(exception: exception, offsets: offsets)
    }

    /// The subscription ended after the client was given everything up to `offset`, except for the
    /// exceptions.
    package mutating func end(_ handle: Handle, through offset: UInt64) {
        guard handle != .unrecorded else { return }
        let slot = Int(handle.slot)
        precondition(subscriptions[slot]?.number == handle.number, "it has ended before")
        guard offset > subscriptions[slot]!.after else {
            // It was given nothing.
            subscriptions[slot] = nil
            freeSlots.append(handle.slot)
            return
        }
        subscriptions[slot]!.through = offset
        ended.append(handle.slot)
    }

    // MARK: Questions

    /// Returns the outcome of the publication with this offset. If the client was subscribed more
    /// than once for it, a delivery takes precedence over an exception, and a later outcome over an
    /// earlier one.
    ///
    /// - Parameter topOffset: of the topic.
    /// - Complexity: O(everything recorded). It is for requests of operators, not for the delivery
    ///   of publications.
    package func answer(
        client: String,
        topic: Topic,
        offset: UInt64,
        topOffset: UInt64
    ) -> Outcome {
        guard offset > 0, offset <= topOffset else { return .notPublished }
        var latest: (number: UInt64, outcome: Outcome)?
        var wasRefused = false
        for (slot, entry) in subscriptions.enumerated() {
            guard let entry, entry.covers(offset), entry.client == client, entry.topic == topic
            else { continue }
            if entry.isRefused {
                wasRefused = true
                continue
            }
            let outcome = outcome(of: entry, in: Int32(slot), offset)
            if outcome == .delivered { return .delivered }
            if entry.number > latest?.number ?? 0 { latest = (entry.number, outcome) }
        }
        if let latest { return latest.outcome }
        if wasRefused { return .notAuthorized }
        return offset <= forgottenThrough[Self.place(of: topic)] ? .unknown : .notSubscribed
    }

    /// The newest refusal by a hook at or before an offset; nil if there is none, or if the client was refused
    /// otherwise since then.
    ///
    /// - Complexity: as `answer`.
    package func refusal(client: String, topic: Topic, offset: UInt64) -> HookRefusal? {
        let refusals = subscriptions.lazy.compactMap { $0 }.filter {
            $0.isRefused && $0.covers(offset) && $0.client == client && $0.topic == topic
        }
        return refusals.max { $0.number < $1.number }?.refusal
    }

    private func outcome(
        of subscription: Subscription,
        in slot: Int32,
        _ offset: UInt64
    ) -> Outcome {
        if let newest = subscription.newest, newest.offsets.contains(offset) {
            return newest.exception.outcome
        }
        let entry = former.last {
            $0.slot == slot && $0.number == subscription.number
                && $0.exceptions.offsets.contains(offset)
        }
        if let entry { return entry.exceptions.exception.outcome }
        return offset <= subscription.forgottenThrough ? .unknown : .delivered
    }

    // MARK: Room

    private mutating func takeNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// Nil when every subscription goes on.
    private mutating func takeSlot() -> Int32? {
        if let slot = freeSlots.popLast() { return slot }
        if subscriptions.count < subscriptionsMax {
            subscriptions.append(nil)
            return Int32(subscriptions.count - 1)
        }
        guard let slot = ended.popFirst() else { return nil }
        let subscription = subscriptions[Int(slot)]!
        if !subscription.isRefused { forget(subscription.topic, through: subscription.through!) }
        return slot
    }

    private mutating func forget(_ topic: Topic, through offset: UInt64) {
        let place = Self.place(of: topic)
        forgottenThrough[place] = max(forgottenThrough[place], offset)
    }

    private mutating func forgetException() {
        let entry = former.removeFirst()
        let slot = Int(entry.slot)
        guard let subscription = subscriptions[slot], subscription.number == entry.number else {
            return
        }
        subscriptions[slot]!.forgottenThrough = max(
            subscription.forgottenThrough,
            entry.exceptions.offsets.upperBound
        )
    }

    /// FNV-1a: the same in every process, unlike the standard library's hashes, so that a simulation
    /// is answered the same when it runs again.
    private static func place(of topic: Topic) -> Int {
        let hash = topic.name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return Int(hash % UInt64(forgottenPlaces))
    }
}
