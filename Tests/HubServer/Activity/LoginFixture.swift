import Activity
import Configuration
import Foundation
import HTTPWire
import Locking
import PubSub
import Reactor
import Repository
import Tasks
import Testing
import Timekeeping

@testable import HubServer
@testable import Tokens

/// Logins without a store and without sockets, on a clock that a test sets.
struct LoginFixture: Sendable {
    let memory = LoginMemory()
    let metrics = MetricsBoard()
    let service: LoginService
    /// Whose connections were ended, in order.
    let disconnected = Locked<[(personID: Int, logins: [String])]>([])
    /// Of the tokens that the service makes.
    let verifier: TokenVerifier
    private let clock: Locked<Timestamp>
    private let responder: RouteResponder

    /// - Parameter loginsPerSecond: of one address; nil for no limit.
    init(
        apple: AppleIdentities? = nil,
        allowsDevelopment: Bool = true,
        loginsPerSecond: Int? = nil,
        _ change: (inout Configuration.Activity) -> Void = { _ in }
    ) async throws {
        var settings = Configuration.Activity()
        change(&settings)
        let secret = Array(TestTokens.secret.utf8)
        let clock = Locked(HubClock.wall)
        self.clock = clock
        verifier = TokenVerifier(
            keys: TokenKeySet(configured: [try .secret(secret)]),
            audience: "films",
            issuer: "hub"
        )
        let disconnected = self.disconnected
        service = LoginService(
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
            disconnect: { person, logins in disconnected.withLock { $0.append((person, logins)) } },
            logger: silentLogger,
            now: { clock.withLock { $0 } }
        )
        var routes = Routes()
        var rates = ClientRates()
        rates.addressLogins = loginsPerSecond.map { RateLimit(perSecond: Double($0), burst: $0) }
        let rate = LoginRate(
            clients: ClientCensus(rates: rates),
            metrics: metrics,
            now: {
                let milliseconds = clock.withLock { $0.milliseconds }
                return MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
            }
        )
        LoginRoutes(service: service, rate: rate).add(to: &routes)
        responder = RouteResponder(routes: routes, logger: silentLogger)
    }

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

/// Somebody who signs identity tokens, and publishes the key.
struct TestIssuer: Sendable {
    static let issuer = "https://id.example.org"
    static let clientID = "org.example.app"

    let keyID: String
    private let key: TokenSigningKey
    private let publicKey: Data

    init(keyID: String = "k1") async throws {
        self.keyID = keyID
        let path = repositoryRoot + "/protocol/vectors/tokens.json"
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let vectors = try decoder.decode(
            Vectors.self,
            from: Data(contentsOf: URL(fileURLWithPath: path))
        )
        key = try .privateKey(
            pem: try #require(vectors.privateKeys["ES256"]),
            algorithm: .es256,
            id: keyID
        )
        let pem = try #require(vectors.publicKeys["ES256"])
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        publicKey = try #require(Data(base64Encoded: lines.joined()))
    }

    private struct Vectors: Decodable {
        var privateKeys: [String: String]
        var publicKeys: [String: String]
    }

    /// The JWKS document. A public key of P-256 in DER ends with its two coordinates.
    var document: String {
        let point = Array(publicKey.suffix(64))
        let (x, y) = (base64URL(point.prefix(32)), base64URL(point.suffix(32)))
        return #"{"keys":[{"kty":"EC","crv":"P-256","kid":"\#(keyID)","x":"\#(x)","y":"\#(y)"}]}"#
    }

    private func base64URL(_ bytes: ArraySlice<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
    }

    var keys: [TokenKey] {
        get async throws {
            TokenKey.published(try JSONWebKeySet(document: Array(document.utf8)).keys)
        }
    }

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

    func token(
        _ subject: String,
        lifetime: Duration = .seconds(600),
        age: Duration = .zero,
        audience: String = clientID
    ) throws -> String {
        var draft = TokenDraft(
            user: subject,
            issuedAt: HubClock.wall - age,
            lifetime: lifetime,
            kind: .connection(topics: [])
        )
        draft.issuer = Self.issuer
        draft.audience = audience
        return try draft.signed(with: key)
    }

    /// A token as it is made for an app that gave the provider a nonce.
    func token(_ subject: String, nonce: String) throws -> String {
        let now = HubClock.wall.wholeSeconds
        let claims =
            #"{"iss":"\#(Self.issuer)","aud":"\#(Self.clientID)","sub":"\#(subject)","#
            + #""iat":\#(now),"exp":\#(now + 600),"nonce":"\#(nonce)"}"#
        let parts = [#"{"alg":"ES256","kid":"\#(keyID)"}"#, claims].map { Array($0.utf8) }
        let text = parts.map(Base64URL.encode).joined(separator: ".")
        return text + "." + Base64URL.encode(try key.sign(Array(text.utf8)))
    }
}
