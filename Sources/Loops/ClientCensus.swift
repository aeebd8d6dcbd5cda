import Synchronization

/// The counts of users and addresses that all loops share: connections, subscriptions and rates.
/// Without a limit, nothing is counted and no lock is taken.
///
/// May be called from any thread. Every operation is short, and holds the one lock. The limits may
/// change at any time.
package final class ClientCensus: Sendable {
    /// The bound that was reached.
    package struct Refusal: Error, Equatable {
        package let bound: Bound
    }

    /// The maximum number of users, and of addresses, whose rates are stored.
    private static let rateCountMax = 1 << 16

    private struct User {
        var connections = 0
        var subscriptions = 0
    }

    private struct State {
        var users: [ExactText: User] = [:]
        var rates = ClientRates()
        var connectionsPerUserMax = 0
        var subscriptionsPerUserMax = 0
        var handshakes: TokenBucket?
        var userConnects: RateTable<ExactText>?
        var userCommands: RateTable<ExactText>?
        var userPublishes: RateTable<ExactText>?
        var addressConnects: RateTable<UInt64>?
        var addressCommands: RateTable<UInt64>?
        var addressPublishes: RateTable<UInt64>?
        var addressLogins: RateTable<UInt64>?

        /// Keeps the state of a rate that does not change. A new rate begins with one second's
        /// allowance.
        mutating func use(_ next: ClientRates) {
            func table<Key: Hashable & Sendable>(_ limit: RateLimit?) -> RateTable<Key>? {
                limit.map { RateTable($0, countMax: ClientCensus.rateCountMax) }
            }
            if next.handshakes != rates.handshakes {
                handshakes = next.handshakes.map { TokenBucket($0) }
            }
            if next.userConnects != rates.userConnects { userConnects = table(next.userConnects) }
            if next.userCommands != rates.userCommands { userCommands = table(next.userCommands) }
            if next.userPublishes != rates.userPublishes {
                userPublishes = table(next.userPublishes)
            }
            if next.addressConnects != rates.addressConnects {
                addressConnects = table(next.addressConnects)
            }
            if next.addressCommands != rates.addressCommands {
                addressCommands = table(next.addressCommands)
            }
            if next.addressPublishes != rates.addressPublishes {
                addressPublishes = table(next.addressPublishes)
            }
            if next.addressLogins != rates.addressLogins {
                addressLogins = table(next.addressLogins)
            }
            rates = next
        }
    }

    private let state = Locked(State())
    /// Read without the lock.
    private let limitsCommands = Atomic(false)
    private let limitsPublishes = Atomic(false)

    /// - Parameters:
    ///   - connectionsPerUserMax: 0 for no limit.
    ///   - subscriptionsPerUserMax: 0 for no limit.
    package init(
        rates: ClientRates = ClientRates(),
        connectionsPerUserMax: Int = 0,
        subscriptionsPerUserMax: Int = 0
    ) {
        use(
            rates: rates,
            connectionsPerUserMax: connectionsPerUserMax,
            subscriptionsPerUserMax: subscriptionsPerUserMax
        )
    }

    /// Changes the limits from now on. Connections and subscriptions over a new limit stay.
    package func use(
        rates: ClientRates,
        connectionsPerUserMax: Int,
        subscriptionsPerUserMax: Int
    ) {
        state.withLock { state in
            state.use(rates)
            state.connectionsPerUserMax = connectionsPerUserMax
            state.subscriptionsPerUserMax = subscriptionsPerUserMax
        }
        limitsCommands.store(
            rates.userCommands != nil || rates.addressCommands != nil,
            ordering: .relaxed
        )
        limitsPublishes.store(
            rates.userPublishes != nil || rates.addressPublishes != nil,
            ordering: .relaxed
        )
    }

    // MARK: Connections

    /// Takes a new WebSocket or event stream from the rates.
    ///
    /// - Parameter network: see `SocketAddress.network`; the same below.
    package func takeHandshake(from network: UInt64, now: Int64) throws(Refusal) {
        try state.withLock { (state) throws(Refusal) in
            if state.addressConnects?.take(network, now: now) == false {
                throw Refusal(bound: .addressConnects)
            }
            if state.handshakes?.take(now: now) == false { throw Refusal(bound: .handshakes) }
        }
    }

    /// Adds a connection of a user. Call `remove` when it ends.
    package func add(user: String, now: Int64) throws(Refusal) {
        guard !user.isEmpty else { return }
        let user = ExactText(user)
        try state.withLock { (state) throws(Refusal) in
            var entry = state.users[user] ?? User()
            let most = state.connectionsPerUserMax
            if most > 0, entry.connections >= most {
                throw Refusal(bound: .connectionsPerUser)
            }
            if state.userConnects?.take(user, now: now) == false {
                throw Refusal(bound: .userConnects)
            }
            entry.connections += 1
            state.users[user] = entry
        }
    }

    /// Removes a connection of a user and its subscriptions.
    package func remove(user: String, subscriptions: Int) {
        guard !user.isEmpty else { return }
        let user = ExactText(user)
        state.withLock { state in
            guard var entry = state.users[user] else { return }
            entry.connections -= 1
            entry.subscriptions -= subscriptions
            state.users[user] = entry.connections > 0 ? entry : nil
        }
    }

    /// The number of different users with connections, without clients that have no credentials.
    package var userCount: Int { state.withLock { $0.users.count } }

    // MARK: Subscriptions

    package func addSubscription(of user: String) throws(Refusal) {
        guard !user.isEmpty else { return }
        let user = ExactText(user)
        try state.withLock { (state) throws(Refusal) in
            let count = state.users[user]?.subscriptions ?? 0
            let most = state.subscriptionsPerUserMax
            if most > 0, count >= most {
                throw Refusal(bound: .subscriptionsPerUser)
            }
            state.users[user]?.subscriptions += 1
        }
    }

    package func removeSubscription(of user: String) {
        guard !user.isEmpty else { return }
        state.withLock { $0.users[ExactText(user)]?.subscriptions -= 1 }
    }

    // MARK: Logins

    /// Counts a request that asks for tokens, or ends a login.
    ///
    /// - Returns: the milliseconds to wait; 0 if the request may proceed.
    package func takeLogin(from network: UInt64, now: Int64) -> Int64 {
        state.withLock { state in
            guard state.addressLogins?.take(network, now: now) == false else { return 0 }
            return state.addressLogins?.retryAfter(network, now: now) ?? 0
        }
    }

    // MARK: Commands

    package func takeCommand(user: String, network: UInt64, now: Int64) throws(Refusal) {
        guard limitsCommands.load(ordering: .relaxed) else { return }
        try state.withLock { (state) throws(Refusal) in
            if state.addressCommands?.take(network, now: now) == false {
                throw Refusal(bound: .addressCommands)
            }
            if !user.isEmpty, state.userCommands?.take(ExactText(user), now: now) == false {
                throw Refusal(bound: .userCommands)
            }
        }
    }

    package func takePublish(user: String, network: UInt64, now: Int64) throws(Refusal) {
        guard limitsPublishes.load(ordering: .relaxed) else { return }
        try state.withLock { (state) throws(Refusal) in
            if state.addressPublishes?.take(network, now: now) == false {
                throw Refusal(bound: .addressPublishes)
            }
            if !user.isEmpty, state.userPublishes?.take(ExactText(user), now: now) == false {
                throw Refusal(bound: .userPublishes)
            }
        }
    }
}
