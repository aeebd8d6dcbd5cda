import Reactor
import Service
import Wire

/// Credentials and rights: who may connect, subscribe, publish and read. Belongs to its loop.
///
/// **Function.** The keys of tokens and of the API, the rules of topics and the topic sockets, as they were
/// configured last. With them it answers for a client, a reader of streams or an API key: by its token, by
/// its namespace, or by the answers of the application, which are the `grants` of the current command.
///
/// **Inputs.** `use` for another configuration or other published keys; `takeGrants` and `moveGrants` when a
/// command continues or waits, `dropAnswers` after each command; `add` and `remove` for the connections of
/// a user.
///
/// **Not done here:** questions to the application, and the effect of a decision on a connection.
///
/// The other files of this folder: `+Tokens` verifies, `+Clients` decides for clients and their commands,
/// `+Questions` finds what the application is asked, `+Readers` decides for streams and topic sockets.
package struct Admission: ~Copyable {
    package private(set) var verifier: TokenVerifier
    package private(set) var apiKeys: APIKeys
    package private(set) var rules: NamespaceRules
    package let sockets: [TopicSocket]
    let context: LoopContext
    private(set) var settings: AccessSettings
    /// Those of the current command or request.
    package var grants = Grants()
    /// Counted here, because a decision changes nothing else.
    package internal(set) var counts = Counts()
    /// Reports the connections that were admitted.
    var attendance: LoopAttendance
    /// Connections with credentials.
    private var connections: [String: Set<ConnectionID>] = [:]
    private var turnedAway = RefusalLog()

    package struct Counts {
        /// Signatures of tokens that were verified; for tests.
        package internal(set) var tokensVerified: UInt64 = 0
        /// Refused tokens, by the error's code.
        package internal(set) var tokensRefused: [String: UInt64] = [:]
        /// Refused requests of pages whose origins are not allowed.
        package internal(set) var pagesRefused: UInt64 = 0
    }

    package init(
        verifier: TokenVerifier,
        apiKeys: APIKeys,
        rules: NamespaceRules,
        sockets: [TopicSocket],
        settings: AccessSettings,
        context: LoopContext
    ) {
        self.verifier = verifier
        self.apiKeys = apiKeys
        self.rules = rules
        self.sockets = sockets
        self.settings = settings
        self.context = context
        attendance = LoopAttendance(context.shared.attendance)
    }

    /// Takes the keys, the rules and the settings of another configuration.
    package mutating func use(_ update: LoopUpdate) {
        verifier = update.verifier(after: verifier)
        apiKeys = update.apiKeys
        rules = update.rules
        settings = update.settings.access
    }

    /// Takes the published keys for tokens.
    package mutating func use(published keys: [TokenKey]) {
        verifier.keys.published = keys
    }

    // MARK: Grants of the current command

    /// Keeps what is known of a command's rights with the command, which waits.
    package mutating func moveGrants(to input: inout WaitingInput) {
        input.grants = grants
        dropAnswers()
    }

    /// Forgets the answers of the application: the next command is not about them.
    package mutating func dropAnswers() { grants.dropAnswers() }

    /// Takes back what is known of the rights of a command that has waited.
    package mutating func takeGrants(of input: WaitingInput) { grants = input.grants }

    // MARK: Users

    /// Notes a connection of a user. Those without a user are not noted.
    package mutating func add(_ id: ConnectionID, of user: String) {
        guard !user.isEmpty else { return }
        connections[user, default: []].insert(id)
    }

    package mutating func remove(_ id: ConnectionID, of user: String) {
        guard connections[user]?.remove(id) != nil else { return }
        if connections[user]?.isEmpty == true { connections[user] = nil }
    }

    /// In no order.
    package func connections(of user: String) -> [ConnectionID] {
        connections[user].map(Array.init) ?? []
    }

    // MARK: Refused connections

    /// Logs the connections that were refused before their first request, if it is time to.
    package mutating func logRefusals(_ counters: ConnectionCounters, now: MonotonicInstant) {
        guard let refused = turnedAway.take(counters, now: now) else { return }
        context.logger.warning(
            "connections turned away",
            metadata: [
                "limits.connections": "\(refused.refusedConnectionsMax)",
                "limits.connections_per_address": "\(refused.refusedPerAddressMax)",
                "descriptors": .stringConvertible(refused.refusedDescriptors),
                "pauses": .stringConvertible(refused.acceptPauses),
            ]
        )
    }
}

/// The rights of a command or request, as far as they are known. They go along with one that waits.
package struct Grants {
    /// The token that was verified last, so that it is verified only once.
    package var verified: VerifiedToken?
    /// The answer of the application to the command; nil if it was not asked.
    package var answer: HookOutcome?
    /// Whether the application was asked to publish to the topic of a subscription.
    package var hasAskedToFill = false
    /// The answers of the application to the request of a stream; nil if it was not asked.
    package var stream: StreamAnswers?

    package init() {}

    package mutating func dropAnswers() { (answer, hasAskedToFill, stream) = (nil, false, nil) }
}

/// The settings that decide about access.
package struct AccessSettings: Sendable {
    /// As in `LoopSettings`.
    package var origins = OriginPolicy()
    package var requiresToken = false
    package var hooks = ClientHookNames()
    package var isDevelopment = false

    package init() {}
}

extension LoopSettings {
    package var access: AccessSettings {
        var access = AccessSettings()
        access.origins = origins
        access.requiresToken = requiresToken
        access.hooks = hooks
        access.isDevelopment = isDevelopment
        return access
    }
}
