/// The body of `POST /auth/login`.
package struct LoginRequest: Sendable, Equatable {
    /// The identity provider, such as `apple`. The configuration lists the allowed ones.
    package var provider: String
    /// The token that the provider gave the app.
    package var token: String
    /// The subject that the app expects; the token must name the same one.
    package var userIdentifier: String?
    /// The nonce that the app gave the provider for this login; the token must contain it, or its
    /// SHA-256 in hexadecimal.
    package var nonce: String?
    /// The name that the provider gave the app with the first login; the token does not contain it.
    package var name: String?
    package var email: String?

    package init(json body: [UInt8]) throws(RequestError) {
        let fields = try RequestFields(body)
        provider = try fields.requiredText("provider", .provider)
        token = try fields.requiredText("token", .identityToken)
        userIdentifier = try fields.text("user_identifier", .userIdentifier)
        nonce = try fields.text("nonce", .nonce)
        name = try fields.text("name", .userName)
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

/// The limits of an app's login request.
package enum LoginLimits {
    /// Characters of a user's name.
    package static let nameLengthMax = 100
    /// Bytes, RFC 5321 §4.5.3.1.3.
    package static let emailBytesMax = 254
    /// Bytes of an identity token: those of large providers have 1 to 2 KiB.
    package static let identityTokenBytesMax = 16 << 10
    /// Bytes of a refresh token; the hub's own are far shorter.
    package static let refreshTokenBytesMax = 512
    package static let userIdentifierBytesMax = 255
    /// Bytes; as much as a claim of a token may have.
    package static let nonceBytesMax = 255
    /// Bytes of a request's body: room for every field at its limit, all of it escaped.
    package static let bodyBytesMax = 128 << 10
}

extension TextRule {
    fileprivate static let provider = TextRule(lengthMax: 64)
    fileprivate static let identityToken = TextRule(
        lengthMax: LoginLimits.identityTokenBytesMax,
        unit: .bytes
    )
    fileprivate static let refreshToken = TextRule(
        lengthMax: LoginLimits.refreshTokenBytesMax,
        unit: .bytes
    )
    fileprivate static let userIdentifier = TextRule(
        lengthMax: LoginLimits.userIdentifierBytesMax,
        unit: .bytes
    )
    fileprivate static let nonce = TextRule(lengthMax: LoginLimits.nonceBytesMax, unit: .bytes)
    fileprivate static let userName = TextRule(
        lengthMax: LoginLimits.nameLengthMax,
        isName: true
    )
    fileprivate static let email = TextRule(lengthMax: LoginLimits.emailBytesMax, unit: .bytes)
}
