import Configuration
import Upstream

/// Verifies the identity tokens of Sign in with Apple with the keys that Apple publishes.
package final class AppleIdentities: Sendable {
    private let verifier: Locked<IdentityTokenVerifier>
    /// Nil if the keys come from a file.
    private let fetcher: KeySetFetcher?

    package init(verifier: IdentityTokenVerifier, fetcher: KeySetFetcher?) {
        self.verifier = Locked(verifier)
        self.fetcher = fetcher
    }

    /// Nil if no app is configured whose users could log in.
    ///
    /// - Parameter keys: the keys of the configured file; nil without a file.
    package convenience init?(
        _ settings: Configuration.Accounts.Apple,
        keys: [TokenKey]?,
        client: UpstreamClient,
        logger: Logger
    ) {
        guard !settings.clientIDs.isEmpty else { return nil }
        self.init(
            verifier: IdentityTokenVerifier(
                keys: TokenKeySet(configured: [], published: keys ?? []),
                issuer: settings.issuer,
                clientIDs: settings.clientIDs
            ),
            fetcher: settings.effectiveKeysURL.map {
                KeySetFetcher(url: $0, client: client, logger: logger)
            }
        )
    }

    /// Whether any of Apple's keys is available.
    package var hasKeys: Bool { verifier.withLock { !$0.keys.published.isEmpty } }

    /// Keeps the keys fresh until cancelled.
    package func run() async {
        await fetcher?.run { [verifier] keys in
            verifier.withLock { $0.keys.published = keys }
        }
    }

    /// Returns the claims about the token's user. If the token names an unknown key and the keys
    /// are not fresh, they are fetched again first.
    ///
    /// - Parameter nonce: as for `IdentityTokenVerifier.verify`.
    package func verify(
        _ token: String,
        user: String?,
        nonce: String? = nil
    ) async throws(TokenError) -> IdentityClaims {
        do throws(TokenError) {
            return try verifyOnce(token, user, nonce)
        } catch {
            guard error == .unknownKey, let fetcher, await fetcher.fetchAgain() else { throw error }
            return try verifyOnce(token, user, nonce)
        }
    }

    private func verifyOnce(
        _ token: String,
        _ user: String?,
        _ nonce: String?
    ) throws(TokenError) -> IdentityClaims {
        // Copied, so that signatures are not computed under the lock.
        try verifier.withLock { $0 }.verify(
            token,
            user: user,
            nonce: nonce,
            now: HubClock.wall
        )
    }
}

extension AppleIdentities {
    /// Returns the keys of `accounts.apple.keys_file`; nil if no file is configured.
    ///
    /// - Parameter settings: nil for a hub without accounts.
    /// - Throws: `ConfigurationError` with the place of the key if the file has no usable keys.
    package static func keys(
        _ settings: Configuration.Accounts?,
        _ loaded: LoadedConfiguration
    ) async throws(ConfigurationError) -> [TokenKey]? {
        guard let file = settings?.apple.keysFile else { return nil }
        do {
            return try await Credentials.keySet(file)
        } catch {
            let path = "accounts.apple.keys_file"
            throw ConfigurationError([loaded.problem(at: path, "\(file): \(error)")])
        }
    }
}
