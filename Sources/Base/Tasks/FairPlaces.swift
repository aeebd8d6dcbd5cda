/// A limited number of places for concurrent work, given to users in turns: see `FairQueue`.
///
/// Users without a place wait in a line of their own, not behind the line of another. Places are
/// given by the cost of users so far, in the unit of the caller.
package actor FairPlaces<User: Hashable & Sendable> {
    /// Why a request gets no place: too many are waiting.
    package struct Full: Error, Equatable {}

    private typealias Waiter = CheckedContinuation<Bool, Never>

    private var freeCount: Int
    private var queue: FairQueue<User, Waiter>

    /// - Parameters:
    ///   - lineMax: how many of one user may wait.
    ///   - waitingMax: how many may wait in all.
    package init(_ count: Int, lineMax: Int = .max, waitingMax: Int = .max) {
        precondition(count > 0, "\(count) places")
        freeCount = count
        queue = FairQueue(lineMax: lineMax, itemsMax: waitingMax)
    }

    /// Those that wait, of all users.
    package var waitingCount: Int { queue.count }

    /// Runs `body` when it is the user's turn.
    ///
    /// - Throws: `Full`, and `body` is not run.
    package func with<Value: Sendable>(
        _ user: User,
        _ body: @Sendable () async -> Value
    ) async throws(Full) -> Value {
        guard await enter(user) else { throw Full() }
        let value = await body()
        leave(charging: user, 0)
        return value
    }

    /// Returns whether there is a place, at once or after waiting for it. If there is one, `leave` has to
    /// follow.
    package func enter(_ user: User) async -> Bool {
        await withCheckedContinuation { waiter in
            switch queue.push(waiter, of: user) {
            case .waits: break
            case .displaces(let other): other.resume(returning: false)
            case .refused: return waiter.resume(returning: false)
            }
            giveOut()
        }
    }

    /// Gives a place back.
    ///
    /// - Parameter cost: the user's cost in addition to 1 for the turn.
    package func leave(charging user: User, _ cost: Double) {
        queue.charge(user, cost)
        freeCount += 1
        giveOut()
    }

    private func giveOut() {
        while freeCount > 0, let next = queue.pop() {
            freeCount -= 1
            next.item.resume(returning: true)
        }
    }
}
