import ClientWire
import Service

/// A subscription to make, by a client, a token or the server API.
package struct SubscriptionWish {
    package let topic: Topic
    package var since: Position?
    package var mustRecover = false
    /// The remaining bytes of an answer in which other topics are also recovered.
    package var recoveryBytesMax = Int.max
    package var origin = ClientSubscription.Origin.rules
    /// The mark of the token that names the topic; nil without one.
    package var mark: TokenMark?
    package var filter: TagFilter?
    package var wantsDelta = false
    package var wantsJoinLeave = false
    /// Overrides of the namespace by a token or the server API.
    package var topicInfo: [UInt8]?
    package var presence: Bool?
    package var joinLeave: Bool?
    package var pushesJoinLeave: Bool?

    package init(topic: Topic) {
        self.topic = topic
    }

    /// The request of a client with the rights of its token.
    package init(_ request: SubscribeRequest, _ claims: SubscriptionClaims?) {
        topic = request.topic
        since = request.since
        mustRecover = request.mustRecover
        filter = request.filter
        wantsDelta = request.wantsDelta
        wantsJoinLeave = request.wantsJoinLeave
        guard let claims else { return }
        origin = .subscriptionToken
        mark = TokenMark(claims)
        apply(claims.subscription)
    }

    /// Applies the answer of the application.
    package mutating func apply(_ answer: HookSubscription) {
        origin = .hook
        apply(answer.subscription)
    }

    /// Applies the subscription claims of a token.
    package mutating func apply(_ granted: TokenSubscription) {
        topicInfo = granted.info
        presence = granted.overrides.presence
        joinLeave = granted.overrides.joinLeave
        pushesJoinLeave = granted.overrides.forcePushJoinLeave
    }
}
