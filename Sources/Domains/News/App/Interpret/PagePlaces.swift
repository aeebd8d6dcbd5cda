import DomainKit

/// Limits how many pages are read at the same time, in total and for each user, so users cannot
/// fill the memory of the hub or the threads of its resolver.
final class PagePlaces: Sendable {
    private struct State {
        var count = 0
        /// Places by user, for users with at least one.
        var countOfUser: [String: Int] = [:]
    }

    private let state = Locked(State())
    private let countMax: Int
    private let countOfUserMax: Int

    init(countMax: Int, countOfUserMax: Int) {
        precondition(countMax > 0)
        precondition(countOfUserMax > 0)
        self.countMax = countMax
        self.countOfUserMax = countOfUserMax
    }

    /// The number of taken places.
    var count: Int { state.withLock { $0.count } }

    /// Nil if all places are taken, or all of the user's.
    func take(_ user: String?) -> PagePlace? {
        let isTaken = state.withLock { state in
            guard state.count < countMax else { return false }
            if let user {
                let count = state.countOfUser[user, default: 0]
                guard count < countOfUserMax else { return false }
                state.countOfUser[user] = count + 1
            }
            state.count += 1
            return true
        }
        return isTaken ? PagePlace { [self] in leave(user) } : nil
    }

    private func leave(_ user: String?) {
        state.withLock { state in
            state.count -= 1
            guard let user else { return }
            let count = state.countOfUser[user, default: 0] - 1
            state.countOfUser[user] = count > 0 ? count : nil
        }
    }
}

/// A place that several tasks hold; it is free when the last of them releases it.
final class PagePlace: Sendable {
    private let holderCount = Locked(1)
    private let leave: @Sendable () -> Void

    fileprivate init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

    /// Adds a holder, which must call `release`.
    func hold() { holderCount.withLock { $0 += 1 } }

    func release() {
        let isFree = holderCount.withLock { count in
            precondition(count > 0, "a place is released more often than held")
            count -= 1
            return count == 0
        }
        if isFree { leave() }
    }
}
