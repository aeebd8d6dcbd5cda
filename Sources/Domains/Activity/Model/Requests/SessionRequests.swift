import JSONText

/// The body of `POST /auth/login`.
package struct LoginRequest: Sendable, Equatable {
    /// Who vouches for the user, such as `apple`. Which ones there are is for the configuration to say.
    package var provider: String
    /// What the provider gave the app.
    package var token: String
    /// Whom the app takes the user for; the token has to agree.
    package var userIdentifier: String?
    /// What the app gave the provider for this login, as it is or as the SHA-256 in hexadecimal; the token
    /// has to agree.
    package var nonce: String?
    /// What the provider told the app, once, at the first login; the token does not have the name.
    package var name: String?
    package var email: String?

    package init(json body: [UInt8]) throws(RequestError) {
        let fields = try RequestFields(body)
        provider = try fields.requiredText("provider", .provider)
        token = try fields.requiredText("token", .identityToken)
        userIdentifier = try fields.text("user_identifier", .userIdentifier)
        nonce = try fields.text("nonce", .nonce)
        name = try fields.text("name", .personName)
        email = try fields.text("email", .email)
    }
}

/// The body of `POST /auth/refresh`, and of `POST /auth/logout`.
package struct RefreshRequest: Sendable, Equatable {
    package var refreshToken: String

    package init(json body: [UInt8]) throws(RequestError) {
        refreshToken = try RequestFields(body).requiredText("refresh_token", .refreshToken)
    }
}
