import Access
import Configuration
import Locking
import Logging
import Tasks
import Timekeeping
import Tokens
import Upstream

/// Those who log in with Apple: their tokens, verified with the keys of this moment.
package final class AppleIdentities: Sendable {
    private let verifier: Locked<IdentityTokenVerifier>
    /// Nil for keys that stand in a file.
    private let fetcher: KeySetFetcher?

    package init(verifier: IdentityTokenVerifier, fetcher: KeySetFetcher?) {
        self.verifier = Locked(verifier)
        self.fetcher = fetcher
    }

    /// Nil when no app is configured whose users could log in.
    ///
    /// - Parameter keys: out of the configured file; nil without one.
    package convenience init?(
        _ settings: Configuration.Activity.Apple,
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

    /// Whether any of Apple's keys is known.
    package var hasKeys: Bool { verifier.withLock { !$0.keys.published.isEmpty } }

    /// Keeps the keys fresh until cancelled.
    package func run() async {
        await fetcher?.run { [verifier] keys in
            verifier.withLock { $0.keys.published = keys }
        }
    }

    /// What the token says of its user. When it is signed with a key that is not known, the keys are read
    /// again if they are not fresh, and it is tried once more.
    ///
    /// - Parameter nonce: as `IdentityTokenVerifier.verify` has it.
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
        // A copy, so that signatures are not computed under the lock.
        try verifier.withLock { $0 }.verify(
            token,
            user: user,
            nonce: nonce,
            now: HubClock.wall
        )
    }
}
