extension AccountService {
    /// Nil if accounts are off. If they are on, the credentials were loaded to sign tokens.
    init?(_ hub: OpenedHub) {
        guard let settings = hub.parts.accounts else { return nil }
        guard let issuer = hub.credentials.issuer else {
            preconditionFailure("credentials were not loaded to sign tokens")
        }
        self.init(
            settings: settings,
            storage: StoredAccounts(store: hub.store, directory: hub.parts.directory),
            apple: AppleIdentities(
                settings.apple,
                keys: hub.appleKeys,
                client: hub.client,
                logger: hub.logger
            ),
            allowsDevelopment: hub.configuration.development,
            issuer: issuer,
            ended: hub.endedLogins,
            logger: hub.logger
        )
    }
}
