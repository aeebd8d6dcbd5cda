import Locking
import PubSub
import Synchronization

/// What the loops count together of users and addresses: connections, subscriptions, how often they do
/// something. Where nothing is limited, nothing is counted and no lock is taken.
///
/// May be called from any thread. Every operation is short, and holds the one lock. What is limited may
/// change at any time.
package final class ClientCensus: Sendable {
    /// The bound that was reached.
    package struct Refusal: Error, Equatable {
        package let bound: Bound
    }

    /// Users and addresses whose rates are remembered, of each kind.
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

        /// A rate that stays as it is goes on counting; another one begins with a second's worth.
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

    /// Limits by other numbers from here on. Whoever is over them now stays.
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

    /// A new WebSocket or event stream.
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

    /// A connection says who it is. `remove` has to follow when it goes.
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

    /// A connection of the user is gone, and its subscriptions with it.
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

    /// Different users that are connected; those without credentials are none.
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

    /// A request that asks for tokens, or ends a login.
    ///
    /// - Returns: how many milliseconds it would have to wait; 0 when it may go on.
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
