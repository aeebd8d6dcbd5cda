/// The answer to a login or a refresh: RFC 6749 §5.1, and the user.
package struct LoginAnswer: Sendable, Equatable {
    package var accessToken: String
    package var refreshToken: String
    /// The lifetime of the access token.
    package var lifetime: Duration
    package var account: Account

    package init(
        accessToken: String,
        refreshToken: String,
        lifetime: Duration,
        account: Account
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        self.account = account
    }

    package func json() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("access_token", accessToken)
            json.raw("user", account.json)
            json.field("refresh_token", refreshToken)
            json.field("token_type", "Bearer")
            json.field("expires_in", lifetime.components.seconds)
        }
        return json.bytes
    }
}
