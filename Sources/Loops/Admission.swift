import Reactor
import Service

/// Credentials: the keys of tokens and of the API, the token that was verified last, and the connections of
/// each user.
package struct Admission {
    package private(set) var verifier: TokenVerifier
    package private(set) var apiKeys: APIKeys
    /// The token that was verified last in this turn; see Loop+Tokens.swift.
    package var verified: VerifiedToken?
    /// The answer of the application to the current command; nil if it was not asked.
    package var answer: HookOutcome?
    /// Whether the application was asked to publish to the topic of the current command.
    package var hasAskedToFill = false
    /// The answers of the application to the current request of a stream; nil if it was not asked.
    package var stream: StreamAnswers?
    /// Connections with credentials.
    private var connections: [String: Set<ConnectionID>] = [:]

    package init(verifier: TokenVerifier, apiKeys: APIKeys) {
        self.verifier = verifier
        self.apiKeys = apiKeys
    }

    /// Takes the keys of another configuration.
    package mutating func use(_ update: LoopUpdate) {
        verifier = update.verifier(after: verifier)
        apiKeys = update.apiKeys
    }

    /// Takes the published keys for tokens.
    package mutating func use(published keys: [TokenKey]) {
        verifier.keys.published = keys
    }

    // MARK: Grants of the current command

    /// Keeps what is known of a command's rights with the command, which waits.
    package mutating func moveGrants(to input: inout WaitingInput) {
        input.verified = verified
        input.answer = answer
        input.hasAskedToFill = hasAskedToFill
        input.stream = stream
        dropAnswers()
    }

    /// Forgets the answers of the application: the next command is not about them.
    package mutating func dropAnswers() {
        (answer, hasAskedToFill, stream) = (nil, false, nil)
    }

    /// Takes back what is known of the rights of a command that has waited.
    package mutating func takeGrants(of input: WaitingInput) {
        verified = input.verified
        answer = input.answer
        hasAskedToFill = input.hasAskedToFill
        stream = input.stream
    }

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
}
