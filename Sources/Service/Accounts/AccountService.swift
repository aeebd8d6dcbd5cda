import Configuration

/// Logins of users, and the two tokens of each.
///
/// The access token is one of the hub's own and short-lived. The refresh token is random, stored as
/// its hash, and valid for one use: `RefreshDecision`. A login begins a family of refresh tokens; a
/// logout, a copied token or one login too many ends it. Access tokens name the family and are
/// refused after it has ended: `EndedLogins`.
package struct AccountService: Sendable {
    /// The number of devices on which one user can be logged in. One more ends the login that was
    /// used longest ago.
    package static let familiesMax = 50
    /// The name of users whose provider gives none.
    package static let nameDefault = "New user"
    /// The time between two deletions of expired logins.
    private static let trimPause = Duration.seconds(3600)

    package let settings: Configuration.Accounts
    /// Checked for every access token, on the routes and on the loops.
    package let ended: EndedLogins
    package let logger: Logger
    private let storage: any AccountStorage
    /// Nil if logins with Apple are disabled.
    private let apple: AppleIdentities?
    /// Whether the development provider is on. It accepts every name, so such a hub listens only on
    /// loopback.
    private let allowsDevelopment: Bool
    private let now: @Sendable () -> Timestamp
    private let issuer: Locked<TokenIssuer>
    private let loops = Locked<(any TopicControl)?>(nil)

    package init(
        settings: Configuration.Accounts,
        storage: any AccountStorage,
        apple: AppleIdentities? = nil,
        allowsDevelopment: Bool,
        issuer: TokenIssuer,
        ended: EndedLogins,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp = { HubClock.wall }
    ) {
        self.settings = settings
        self.storage = storage
        self.apple = apple
        self.allowsDevelopment = allowsDevelopment
        self.issuer = Locked(issuer)
        self.ended = ended
        self.logger = logger
        self.now = now
    }

    /// Reads which logins have ended. Call it before the first request.
    ///
    /// - Throws: `StoreError`.
    package func prepare() async throws {
        let horizon = ended.horizon(now: now())
        // One more than `EndedLogins` has room for, so that it detects missing ones.
        let limit = EndedLogins.countMax + 1
        for login in try await storage.endedLogins(after: horizon, limit: limit).reversed() {
            ended.add([login.family], at: login.endedAt)
        }
    }

    /// Sets the loops whose connections end with their logins; nil when they have stopped.
    package func connect(_ loops: (any TopicControl)?) {
        self.loops.withLock { $0 = loops }
    }

    /// Signs with another key from now on: a reload may change the secret.
    package func use(_ issuer: TokenIssuer) {
        self.issuer.withLock { $0 = issuer }
    }

    /// Fetches Apple's keys and deletes expired logins until cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            if let apple { group.addTask { await apple.run() } }
            group.addTask { await trimRepeatedly() }
        }
    }

    // MARK: Tokens

    /// - Throws: `AccountError`, `StoreError`.
    package func login(_ request: LoginRequest) async throws -> LoginAnswer {
        let identity = try await identity(of: request)
        let now = now()
        // The development provider's token is the name. The request's address is not used: only the
        // app claims it.
        let name = identity.provider == .development ? request.token : request.name
        let token = RefreshToken(random: randomBytes(RefreshToken.randomLength))
        let family = uuidVersion4(randomBytes(16))
        let begun = try await storage.begin(
            NewLogin(
                identity: identity,
                newcomer: Newcomer(
                    name: name ?? Self.nameDefault,
                    email: identity.email,
                    at: now
                ),
                hash: token.hash,
                family: family,
                expiresAt: now + settings.refreshTokenLifetime
            ),
            familiesMax: Self.familiesMax
        )
        await noteEnd(of: begun.ended, of: begun.account.user, at: now)
        guard !ended.revocations.isBlocked(begun.account.user, now: now) else {
            try await endLogins(of: begun.account.user)
            throw AccountError.token(.revoked)
        }
        return try answer(begun.account, token, family, now: now)
    }

    /// - Throws: `AccountError`, `StoreError`.
    package func refresh(_ request: RefreshRequest) async throws -> LoginAnswer {
        let now = now()
        let hash = RefreshToken.hash(of: request.refreshToken)
        let successor = RefreshToken(random: randomBytes(RefreshToken.randomLength))
        let lifetime = settings.refreshTokenLifetime
        let (decision, account) = try await storage.refresh(hash, at: now) { family in
            RefreshDecision.decide(
                hash,
                successor: successor.hash,
                family: family,
                lifetime: lifetime,
                now: now
            )
        }
        switch decision {
        case .refuse(let refusal): throw AccountError.refresh(refusal)
        case .revoke(let family, let user):
            await noteEnd(of: [family], of: user, at: now)
            logger.warning(
                "accounts: refresh token used twice, login ended",
                metadata: ["family": "\(family)"],
                source: LogSource.peer
            )
            throw AccountError.refresh(.reused)
        case .rotate(let rotation):
            guard let account else { throw AccountError.refresh(.unknown) }
            return try answer(account, successor, rotation.successor.family, now: now)
        }
    }

    /// Ends the login that the token belongs to. An unknown token has no login to end.
    ///
    /// - Throws: `StoreError`.
    package func logout(_ request: RefreshRequest) async throws {
        let now = now()
        let hash = RefreshToken.hash(of: request.refreshToken)
        guard let shown = try await storage.removeFamily(of: hash, at: now) else { return }
        await noteEnd(of: [shown.family], of: shown.user, at: now)
    }

    /// Returns the account of a user; nil if there is none.
    ///
    /// - Throws: `StoreError`.
    package func account(of user: String) async throws -> Account? {
        try await storage.account(of: user)
    }

    /// Deletes the account of a user, with its logins and connections, in a hub without a domain
    /// that has users of its own. The data of other parts of the hub follow: `DeletedAccount`.
    ///
    /// - Returns: false if there is no such account.
    /// - Throws: `StoreError`.
    package func delete(_ user: String) async throws -> Bool {
        let now = now()
        guard let families = try await storage.delete(user, at: now) else { return false }
        ended.add(families, at: now)
        let loops = loops.withLock { $0 }
        await loops?.disconnect(user: user)
        // The other nodes of a cluster refuse the access tokens from here on.
        await loops?.disconnect(user: user, logins: families)
        return true
    }

    /// Ends all logins of a user: their refresh tokens, access tokens and connections.
    ///
    /// - Throws: `StoreError`.
    package func endLogins(of user: String) async throws {
        let now = now()
        let families = try await storage.endLogins(of: user, at: now)
        await noteEnd(of: families, of: user, at: now)
    }

    /// Deletes the stored data of expired logins.
    ///
    /// - Throws: `StepFailures`, `CancellationError`.
    package func trim() async throws {
        let now = now()
        ended.trim(now: now)
        // The next start may have the longest lifetime that can be configured.
        let kept = Configuration.Accounts.accessTokenLifetimes.upperBound + TokenVerifier.leewayMax
        var steps = IndependentSteps()
        await steps.run("refresh_tokens") {
            try await storage.trimRefreshRecords(expiredBefore: now)
        }
        await steps.run("ended_logins") {
            try await storage.trimEndedLogins(endedBefore: now - kept)
        }
        try steps.end()
    }

    /// Refuses the access tokens of logins from now on and closes their connections. Call it after
    /// the ends are stored; in this order no connection is opened in between.
    private func noteEnd(of families: [String], of user: String, at time: Timestamp) async {
        guard !families.isEmpty else { return }
        ended.add(families, at: time)
        await loops.withLock { $0 }?.disconnect(user: user, logins: families)
    }

    private func answer(
        _ account: Account,
        _ refreshToken: RefreshToken,
        _ family: String,
        now: Timestamp
    ) throws -> LoginAnswer {
        let lifetime = settings.accessTokenLifetime
        let accessToken = try issuer.withLock { $0 }
            .accessToken(user: account.user, login: family, lifetime: lifetime, now: now)
        return LoginAnswer(
            accessToken: accessToken,
            refreshToken: refreshToken.text,
            lifetime: lifetime,
            account: account
        )
    }

    private func trimRepeatedly() async {
        while (try? await Task.sleep(for: Self.trimPause)) != nil {
            do { try await trim() } catch {
                logger.error("accounts: logins not trimmed", metadata: ["err": "\(error)"])
            }
        }
    }

    // MARK: Providers

    private func identity(of request: LoginRequest) async throws -> ProvidedIdentity {
        switch LoginProvider(rawValue: request.provider) {
        case .apple:
            guard let apple else { throw AccountError.unknownProvider(request.provider) }
            return try await identity(of: request, by: apple)
        case .development:
            guard allowsDevelopment else { throw AccountError.unknownProvider(request.provider) }
            let length = request.token.unicodeScalars.count
            guard length <= LoginLimits.nameLengthMax else {
                throw AccountError.nameTooLong(length)
            }
            return ProvidedIdentity(
                provider: .development,
                subject: request.userIdentifier ?? request.token
            )
        case nil: throw AccountError.unknownProvider(request.provider)
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
                "accounts: login refused",
                metadata: ["reason": "\(error.code)"],
                source: LogSource.peer
            )
            // Without keys, no token can be verified, so the token is not at fault.
            guard error != .unknownKey || apple.hasKeys else { throw AccountError.unavailable }
            throw AccountError.token(error)
        }
    }
}
