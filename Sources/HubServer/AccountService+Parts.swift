import Access
import Accounts
import Configuration
import Logging
import Store
import Tokens
import Upstream

extension AccountService {
    /// Nil while accounts are off.
    ///
    /// - Parameters:
    ///   - credentials: loaded to sign tokens if accounts are on.
    ///   - appleKeys: those of a configured file.
    init?(
        _ parts: ConfiguredParts,
        _ configuration: Configuration,
        _ credentials: Credentials,
        appleKeys: [TokenKey]?,
        store: HubStore,
        client: UpstreamClient,
        ended: EndedLogins,
        logger: Logger
    ) {
        guard let settings = parts.accounts else { return nil }
        guard let issuer = credentials.issuer else {
            preconditionFailure("credentials were not loaded to sign tokens")
        }
        self.init(
            settings: settings,
            storage: StoredAccounts(store: store, directory: parts.directory),
            apple: AppleIdentities(
                settings.apple,
                keys: appleKeys,
                client: client,
                logger: logger
            ),
            allowsDevelopment: configuration.development,
            issuer: issuer,
            ended: ended,
            logger: logger
        )
    }
}
