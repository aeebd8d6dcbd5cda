import Access
import Activity
import Configuration
import Digests
import HTTPService
import Locking
import LogOutput
import Logging
import Tasks
import Timekeeping
import Tokens

/// Who somebody is: logins, and the two tokens that come of them.
///
/// The access token is one of the hub's own and short-lived. The refresh token is random, kept as its hash, and
/// good once: `RefreshDecision`. A login begins a family of them, a logout ends one. Access tokens name the family,
/// and open nothing once it has ended: `EndedLogins`.
package struct LoginService: Sendable {
    /// Devices on which one person can be logged in; the ones that were used longest ago make way.
    package static let familiesMax = 50
    /// Whose provider tells no name. The person can change it.
    package static let nameDefault = "New user"

    package let settings: Configuration.Activity
    package let storage: any LoginStorage
    /// Nil where nobody logs in with Apple.
    package let apple: AppleIdentities?
    /// Whether anybody logs in as anybody: in development alone, which listens on loopback alone.
    package let allowsDevelopment: Bool
    /// Where access tokens are asked for, wherever they are shown.
    package let ended: EndedLogins
    /// Ends the connections that came with access tokens of these logins of a user.
    package let disconnect: @Sendable (_ user: String, _ logins: [String]) async -> Void
    package let logger: Logger
    package let now: @Sendable () -> Timestamp
    private let issuer: Locked<TokenIssuer>

    package init(
        settings: Configuration.Activity,
        storage: any LoginStorage,
        apple: AppleIdentities?,
        allowsDevelopment: Bool,
        issuer: TokenIssuer,
        ended: EndedLogins,
        disconnect: @escaping @Sendable (_ user: String, _ logins: [String]) async -> Void,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp = { HubClock.wall }
    ) {
        self.settings = settings
        self.storage = storage
        self.apple = apple
        self.allowsDevelopment = allowsDevelopment
        self.issuer = Locked(issuer)
        self.ended = ended
        self.disconnect = disconnect
        self.logger = logger
        self.now = now
    }

    /// After a reload, which may bring another secret.
    package func use(_ issuer: TokenIssuer) {
        self.issuer.withLock { $0 = issuer }
    }

    /// - Throws: `ActivityError`, `StoreError`.
    package func login(_ request: LoginRequest) async throws -> LoginAnswer {
        let identity = try await identity(of: request)
        let now = now()
        // Of the development provider the token is the name. What an app says of an address is no more
        // than a claim, so the request's is not taken.
        let name = identity.provider == .development ? request.token : request.name
        let person = try await storage.person(
            for: identity,
            newcomer: Newcomer(name: name ?? Self.nameDefault, email: identity.email, at: now)
        )
        let token = RefreshToken(random: randomBytes(RefreshToken.randomLength))
        let family = uuidVersion4(randomBytes(16))
        let madeWay = try await storage.insert(
            RefreshRecord(
                hash: token.hash,
                user: String(person.id),
                family: family,
                expiresAt: now + settings.refreshTokenLifetime
            ),
            familiesMax: Self.familiesMax,
            at: now
        )
        await noteEnd(of: madeWay, of: String(person.id), at: now)
        return try answer(person, token, family, now: now)
    }

    /// - Throws: `ActivityError`, `StoreError`.
    package func refresh(_ request: RefreshRequest) async throws -> LoginAnswer {
        let now = now()
        let hash = RefreshToken.hash(of: request.refreshToken)
        let successor = RefreshToken(random: randomBytes(RefreshToken.randomLength))
        let lifetime = settings.refreshTokenLifetime
        let decision = try await storage.refresh(hash, at: now) { family in
            RefreshDecision.decide(
                hash,
                successor: successor.hash,
                family: family,
                lifetime: lifetime,
                now: now
            )
        }
        switch decision {
        case .refuse(let refusal): throw ActivityError(refusal)
        case .revoke(let family, let user):
            await noteEnd(of: [family], of: user, at: now)
            logger.warning(
                "activity: a refresh token was shown twice, its login is over",
                metadata: ["family": "\(family)"],
                source: LogSource.peer
            )
            throw ActivityError(.reused)
        case .rotate(let rotation):
            guard let person = try await storage.person(rotation.successor.user) else {
                throw ActivityError.authenticationRequired(.invalid)
            }
            return try answer(person, successor, rotation.successor.family, now: now)
        }
    }

    /// Ends the login that the token came of. A token that nobody knows is none already.
    ///
    /// - Throws: `StoreError`.
    package func logout(_ request: RefreshRequest) async throws {
        let now = now()
        let hash = RefreshToken.hash(of: request.refreshToken)
        guard let shown = try await storage.removeFamily(of: hash, at: now) else { return }
        await noteEnd(of: [shown.family], of: shown.user, at: now)
    }

    /// After the store has noted it. First nobody is let in any more, then who is in goes.
    private func noteEnd(of families: [String], of user: String, at time: Timestamp) async {
        guard !families.isEmpty else { return }
        ended.add(families, at: time)
        await disconnect(user, families)
    }

    /// Deletes what is kept of logins that have ended by themselves; for every now and then.
    ///
    /// - Throws: `StoreError`.
    package func trim() async throws {
        let now = now()
        try await storage.trimRefreshRecords(expiredBefore: now)
        ended.trim(now: now)
        // A lifetime that is configured for the next start may be as long.
        let kept = Configuration.Activity.accessTokenLifetimes.upperBound + TokenVerifier.leewayMax
        try await storage.trimEndedFamilies(endedBefore: now - kept)
    }

    private func answer(
        _ person: Person,
        _ refreshToken: RefreshToken,
        _ family: String,
        now: Timestamp
    ) throws -> LoginAnswer {
        let lifetime = settings.accessTokenLifetime
        let accessToken = try issuer.withLock { $0 }
            .accessToken(user: String(person.id), login: family, lifetime: lifetime, now: now)
        return LoginAnswer(
            accessToken: accessToken,
            refreshToken: refreshToken.text,
            lifetime: lifetime,
            user: person
        )
    }

    // MARK: Providers

    private func identity(of request: LoginRequest) async throws -> ProvidedIdentity {
        switch LoginProvider(rawValue: request.provider) {
        case .apple:
            guard let apple else { throw ActivityError.unknownProvider(request.provider) }
            return try await identity(of: request, by: apple)
        case .development:
            guard allowsDevelopment else { throw ActivityError.unknownProvider(request.provider) }
            guard request.token.unicodeScalars.count <= ActivityLimits.nameLengthMax else {
                throw ActivityError.tooLongName(request.token.unicodeScalars.count)
            }
            return ProvidedIdentity(
                provider: .development,
                subject: request.userIdentifier ?? request.token
            )
        case nil: throw ActivityError.unknownProvider(request.provider)
        }
    }

    private func identity(
        of request: LoginRequest,
        by apple: AppleIdentities
    ) async throws -> ProvidedIdentity {
        do throws(TokenError) {
            let claims = try await apple.verify(
                request.token,
                user: request.userIdentifier,
                nonce: request.nonce
            )
            return ProvidedIdentity(
                provider: .apple,
                subject: claims.subject,
                email: claims.verifiedEmail
            )
        } catch {
            logger.info(
                "activity: login refused",
                metadata: ["reason": "\(error.code)"],
                source: LogSource.peer
            )
            // Before the keys were read no token proves anything, and none is to blame for it.
            guard error != .unknownKey || apple.hasKeys else { throw ActivityError.unavailable }
            throw ActivityError(error)
        }
    }
}

extension ActivityError {
    /// Why a token, of the hub or of a provider, does not show who somebody is.
    package init(_ error: TokenError) {
        self.init(
            .authenticationRequired,
            "\(error)",
            details: .reason(error == .expired ? .expired : .invalid)
        )
    }

    fileprivate init(_ refusal: RefreshRefusal) {
        switch refusal {
        case .expired: self = .authenticationRequired(.expired)
        // Which of them it is tells a thief how far the owner is.
        case .unknown, .reused: self = .authenticationRequired(.invalid)
        }
    }

    fileprivate static func tooLongName(_ length: Int) -> ActivityError {
        ActivityError(
            .invalidRequest,
            "the name has \(length) characters, over limit \(ActivityLimits.nameLengthMax)",
            details: .field(
                "token",
                expected: "at most \(ActivityLimits.nameLengthMax) characters",
                found: "\(length) characters"
            )
        )
    }

    fileprivate static func unknownProvider(_ name: String) -> ActivityError {
        ActivityError(
            .invalidRequest,
            "nobody logs in here with this provider",
            details: .field("provider", expected: "a provider that is configured", found: name)
        )
    }
}
