import ClientWire
import Configuration
import Expectations
import Foundation
import HubTesting
import Loops
import Reactor
import Repository
import TokenTesting
import Wire

@testable import Core
@testable import Service

/// Logins without a store and without sockets, on a clock that a test sets.
struct LoginFixture: Sendable {
    let memory = LoginMemory()
    let reached = Locked(0)
    let service: AccountService
    private let loops = RecordedLoops()
    /// Of the tokens that the service makes.
    let verifier: TokenVerifier
    private let clock: Locked<Timestamp>
    private let responder: RouteResponder

    /// - Parameter loginsPerSecond: of one address; nil for no limit.
    init(
        apple: AppleIdentities? = nil,
        allowsDevelopment: Bool = true,
        loginsPerSecond: Int? = nil,
        _ change: (inout Configuration.Accounts) -> Void = { _ in }
    ) async throws {
        var settings = Configuration.Accounts()
        change(&settings)
        let secret = Array(TestTokens.secret.utf8)
        let clock = Locked(HubClock.wall)
        self.clock = clock
        verifier = TokenVerifier(
            keys: TokenKeySet(configured: [try .secret(secret)]),
            audience: "films",
            issuer: "hub"
        )
        service = AccountService(
            settings: settings,
            storage: memory,
            apple: apple,
            allowsDevelopment: allowsDevelopment,
            issuer: TokenIssuer(
                key: try .secret(secret),
                audience: "films",
                issuer: "hub"
            ),
            ended: EndedLogins(accessTokenLifetime: settings.accessTokenLifetime),
            logger: silentLogger,
            now: { clock.withLock { $0 } }
        )
        service.connect(loops)
        var routes = Routes()
        var rates = ClientRates()
        rates.addressLogins = loginsPerSecond.map { RateLimit(perSecond: Double($0), burst: $0) }
        let rate = LoginRate(
            count: { [clients = ClientCensus(rates: rates)] in clients.takeLogin(from: $0, now: $1)
            },
            noteReached: { [reached] in reached.withLock { $0 += 1 } },
            now: {
                let milliseconds = clock.withLock { $0.milliseconds }
                return MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
            }
        )
        AccountRoutes(service: service, form: .messageAndCode, rate: rate).add(to: &routes)
        responder = RouteResponder(routes: routes, logger: silentLogger)
    }

    /// Whose connections were ended, in order.
    var disconnected: [RecordedLoops.End] { loops.ends.withLock { $0 } }

    var now: Timestamp { clock.withLock { $0 } }

    func advance(_ duration: Duration) {
        clock.withLock { $0 = $0 + duration }
    }

    func login(_ name: String, user: String? = nil) async throws -> LoginAnswer {
        let user = user.map { #","user_identifier":"\#($0)""# } ?? ""
        let body = #"{"provider":"development","token":"\#(name)"\#(user)}"#
        return try await service.login(LoginRequest(json: Array(body.utf8)))
    }

    func refresh(_ token: String) async throws -> LoginAnswer {
        try await service.refresh(
            RefreshRequest(json: Array(#"{"refresh_token":"\#(token)"}"#.utf8))
        )
    }

    /// What becomes of an access token that is shown now.
    func check(_ accessToken: String) throws(TokenError) {
        let claims = try verifier.verifyConnection(accessToken, now: now)
        try service.ended.check(claims, now: now)
    }

    func send(
        _ target: String,
        _ body: String,
        from peer: SocketAddress? = nil
    ) async -> (ServerResponse, body: String) {
        let head = HTTPRequestHead(method: "POST", target: target)
        let response = await responder.respond(
            to: ServerRequest(head: head, body: Array(body.utf8), peer: peer)
        )
        return (response, String(decoding: response.body, as: UTF8.self))
    }
}

/// Loops without connections, which note whose were to end.
final class RecordedLoops: TopicControl {
    struct End: Equatable {
        var user: String
        var logins: [String]
    }

    let ends = Locked<[End]>([])

    func disconnect(user: String, logins: [String]) async {
        ends.withLock { $0.append(End(user: user, logins: logins)) }
    }

    func disconnect(user: String) async {}

    func end(_ topics: [Topic], _ code: UnsubscribeCode, sparing user: String?) async {}

    func unsubscribe(user: String, from topic: Topic) async {}

    func subscribedTopics(inNamespaces namespaces: Set<String>) async -> [Topic: Int] { [:] }
}

extension LoginAnswer {
    var user: String { account.user }

    /// The value of a field of `user`; nil for null.
    func text(_ field: String) throws -> String? {
        try RequestFields(account.json).text(field, TextRule(lengthMax: 1000))
    }
}

extension TestIssuer {
    /// - Parameter keys: that the verifier begins with.
    func identities(
        _ keys: [TokenKey],
        fetcher: KeySetFetcher? = nil
    ) -> AppleIdentities {
        AppleIdentities(
            verifier: IdentityTokenVerifier(
                keys: TokenKeySet(configured: [], published: keys),
                issuer: Self.issuer,
                clientIDs: [Self.clientID]
            ),
            fetcher: fetcher
        )
    }
}
