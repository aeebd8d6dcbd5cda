import Reactor
import Service
import Wire

/// The credentials of a reader that only receives publications.
package enum ReaderCredentials {
    case none
    case token(ConnectionClaims)
    /// The application has let the reader in.
    case application(ConnectionClaims)
    case key(APIKeys.Entry)

    /// - Parameter claims: nil for a reader without a token.
    package init(_ claims: ConnectionClaims?) {
        self = claims.map { .token($0) } ?? .none
    }

    /// The claims of the reader's token, or of the application; nil for a reader without any.
    package var claims: ConnectionClaims? {
        switch self {
        case .token(let claims), .application(let claims): claims
        case .none, .key: nil
        }
    }

    /// The mark of the reader's token; nil for a reader without one.
    package var mark: TokenMark? {
        if case .token(let claims) = self { TokenMark(claims) } else { nil }
    }

    /// The reader's API key; nil for a reader without one.
    package var key: APIKeys.Entry? {
        if case .key(let key) = self { key } else { nil }
    }
}

/// Streams that are opened with an API key. They have no user, and no presence contains them.
extension Loop {
    /// Returns the credentials of a stream's request: its API key (`PresentedKey`), the claims of
    /// a token, or those of the application. A key in the query is ignored, because logs would keep it.
    package func credentials(
        of head: HTTPRequestHead,
        on id: ConnectionID
    ) throws(ReaderRefusal) -> ReaderCredentials {
        guard let key = try key(of: head, on: id) else {
            let isRequired = settings.requiresToken && settings.hooks.connect == nil
            if let claims = try claims(of: head, isRequired: isRequired, on: id) {
                return .token(claims)
            }
            return try admittedReader()
        }
        guard token(in: head) == nil else {
            let text = "expected an API key or a token, found both"
            throw ReaderRefusal(response: ServerResponse(status: 400, text: text))
        }
        return .key(key)
    }

    /// Returns the API key of a request; nil for a request without one.
    func key(
        of head: HTTPRequestHead,
        on id: ConnectionID
    ) throws(ReaderRefusal) -> APIKeys.Entry? {
        let remote = connections.peer(id)?.host ?? ""
        do throws(KeyRefusal) {
            return try shared.keys.find(head, from: remote, logger) {
                admission.apiKeys.entry(of: $0)
            }?.found
        } catch {
            throw ReaderRefusal(response: ErrorForm.plain.keyRefused(error))
        }
    }

    /// Decides whether a key may read a topic.
    ///
    /// - Throws: if the key lacks a scope. Also a returning reader receives the name of the scope:
    ///   it is no browser's `EventSource`, which sends no keys.
    func decide(
        _ topic: Topic,
        by grant: APIKeyGrant,
        _ head: HTTPRequestHead
    ) throws(ReaderRefusal) -> AccessDecision {
        switch rules.read(topic, by: grant) {
        case .allowed: return .allowed
        case .unknown: return .unknown
        case .undecided: return .undecided
        case .missing(let scope):
            shared.keys.note(lacking: scope, grant, "\(head.method) \(head.path)", logger)
            let text = grant.refusal(lacking: scope)
            throw ReaderRefusal(response: ServerResponse(status: 403, text: text))
        }
    }

    /// Ends a stream whose key was removed from the configuration, or may no longer read one of
    /// the stream's topics. Its reader connects again, and receives the reason.
    ///
    /// - Returns: false if nothing ended.
    func endStreamOfLostKey(on id: ConnectionID) -> Bool {
        guard let key = session(of: id).key else { return false }
        if let grant = admission.apiKeys.grant(of: key.hash) {
            let isReadable = hub.topics(of: Int32(id.index)).allSatisfy { topic in
                switch rules.read(topic, by: grant) {
                case .allowed, .undecided: true
                case .missing, .unknown: false
                }
            }
            if isReadable { return false }
        }
        disconnect(id, .invalidToken)
        return true
    }
}

extension Session {
    /// The API key of the connection; nil without one, and if the hub has ended the connection.
    fileprivate var key: APIKeys.Entry? {
        switch self {
        case .none, .http, .client, .echo: nil
        case .eventStream(let session):
            session.machine.disconnectCode == nil ? session.reader.key : nil
        case .socketReader(let session):
            session.machine.disconnectCode == nil ? session.reader.key : nil
        }
    }
}
