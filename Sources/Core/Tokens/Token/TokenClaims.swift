/// The grant of a connection token: the client's identity, and the topics that it gets without
/// asking.
package struct ConnectionClaims: Sendable, Equatable {
    /// `sub`; empty for a user without an account.
    package let user: String
    /// `groups`, which rules of access may ask for.
    package let groups: Set<String>
    /// When the connection ends unless the client shows another token before; nil for never.
    package let expiresAt: Timestamp?
    /// JSON text that other clients see in addition to the user: `info` or `b64info`.
    package let info: [UInt8]?
    /// JSON text only for the server.
    package let meta: [UInt8]?
    /// From `subs` and `channels`; each topic once.
    package let subscriptions: [Topic: TokenSubscription]
    /// `jti`: names the token.
    package let tokenID: String?
    package let issuedAt: Timestamp?
    /// `loginClaim`: the login that the hub itself made the token for; nil for a token of an application.
    package let login: String?

    /// Our own name, since `sid` and the like also occur in tokens of identity providers, with
    /// another meaning (RFC 7519 §4.3).
    static let loginClaim = "varde_login"

    /// Of a reader that showed something else than a connection token, made for one that has shown it.
    package init(user: String, login: String?, issuedAt: Timestamp?, expiresAt: Timestamp?) {
        self.user = user
        self.login = login
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        groups = []
        info = nil
        meta = nil
        subscriptions = [:]
        tokenID = nil
    }

    init(_ claims: ClaimSet, expiresAt: Timestamp?) throws(TokenError) {
        user = try claims.text("sub") ?? ""
        groups = Set(try claims.texts("groups"))
        self.expiresAt = expiresAt
        info = try claims.json("info", orBase64: "b64info")
        meta = claims.json("meta")
        var subscriptions: [Topic: TokenSubscription] = [:]
        for topic in try claims.topics("channels") { subscriptions[topic] = TokenSubscription() }
        for (topic, claims) in try claims.objectsByTopic("subs") {
            subscriptions[topic] = try TokenSubscription(claims)
        }
        self.subscriptions = subscriptions
        tokenID = try claims.text("jti")
        issuedAt = try claims.time("iat")
        login = try claims.text(Self.loginClaim)
    }
}

/// The grant of a subscription token: one topic to one user.
package struct SubscriptionClaims: Sendable, Equatable {
    /// `sub`; empty for a user without an account.
    package let user: String
    /// `channel`.
    package let topic: Topic
    /// When the subscription ends unless the client shows another token before; nil for never.
    package let expiresAt: Timestamp?
    package let subscription: TokenSubscription
    package let tokenID: String?
    package let issuedAt: Timestamp?

    init(_ claims: ClaimSet, expiresAt: Timestamp?) throws(TokenError) {
        user = try claims.text("sub") ?? ""
        guard let name = try claims.text("channel") else { throw .claim("channel") }
        topic = try claims.topic(name, "channel")
        self.expiresAt = expiresAt
        subscription = try TokenSubscription(claims)
        tokenID = try claims.text("jti")
        issuedAt = try claims.time("iat")
    }
}

/// The content of a token about one subscription.
package struct TokenSubscription: Sendable, Equatable {
    /// JSON text that other subscribers of the topic see: `info` or `b64info`.
    package var info: [UInt8]?
    /// JSON text for the client itself, in the answer to its subscription: `data` or `b64data`.
    package var data: [UInt8]?
    package var overrides: SubscriptionOverrides

    package init(
        info: [UInt8]? = nil,
        data: [UInt8]? = nil,
        overrides: SubscriptionOverrides = SubscriptionOverrides()
    ) {
        self.info = info
        self.data = data
        self.overrides = overrides
    }

    init(_ claims: ClaimSet) throws(TokenError) {
        info = try claims.json("info", orBase64: "b64info")
        data = try claims.json("data", orBase64: "b64data")
        overrides =
            try claims.object("override").map(SubscriptionOverrides.init)
            ?? SubscriptionOverrides()
    }
}

/// `override`: settings of the namespace that are otherwise for this subscription; nil leaves one as it
/// is.
package struct SubscriptionOverrides: Sendable, Equatable {
    package var presence: Bool?
    package var joinLeave: Bool?
    package var forceRecovery: Bool?
    package var forcePositioning: Bool?
    package var forcePushJoinLeave: Bool?

    package init(
        presence: Bool? = nil,
        joinLeave: Bool? = nil,
        forceRecovery: Bool? = nil,
        forcePositioning: Bool? = nil,
        forcePushJoinLeave: Bool? = nil
    ) {
        self.presence = presence
        self.joinLeave = joinLeave
        self.forceRecovery = forceRecovery
        self.forcePositioning = forcePositioning
        self.forcePushJoinLeave = forcePushJoinLeave
    }

    init(_ claims: ClaimSet) throws(TokenError) {
        presence = try claims.override("presence")
        joinLeave = try claims.override("join_leave")
        forceRecovery = try claims.override("force_recovery")
        forcePositioning = try claims.override("force_positioning")
        forcePushJoinLeave = try claims.override("force_push_join_leave")
    }
}
