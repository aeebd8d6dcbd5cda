/// An answer of the application.
package enum HookAnswer: Sendable, Equatable {
    case connect(HookConnect)
    case refresh(HookRefresh)
    case subscribe(HookSubscription)
    case publish(HookPublication)
    /// JSON text; nil for none.
    case rpc([UInt8]?)
    case cacheEmpty(isPopulated: Bool)
    /// The client receives this error.
    case error(Refusal)
    /// The connection ends with this code.
    case disconnect(code: UInt16, reason: String)

    package struct Refusal: Sendable, Equatable {
        package var code: UInt32
        package var message: String
        package var isTemporary: Bool

        package init(code: UInt32, message: String, isTemporary: Bool = false) {
            self.code = code
            self.message = message
            self.isTemporary = isTemporary
        }
    }

    /// A line about it, without the data of the application.
    package var summary: String {
        switch self {
        case .connect(let answer):
            answer.user.isEmpty ? "an anonymous client" : "user \(answer.user)"
        case .refresh(let answer): answer.hasExpired ? "expired" : "stays"
        case .subscribe, .publish, .rpc: "yes"
        case .cacheEmpty(let isPopulated): isPopulated ? "populated" : "empty"
        case .error(let refusal): "error \(refusal.code): \(refusal.message)"
        case .disconnect(let code, let reason): "disconnect \(code): \(reason)"
        }
    }

    /// A short word for metrics.
    package var outcome: String {
        switch self {
        case .connect, .refresh, .subscribe, .publish, .rpc, .cacheEmpty: "result"
        case .error: "error"
        case .disconnect: "disconnect"
        }
    }
}

/// The identity of a client, and its first subscriptions.
package struct HookConnect: Sendable, Equatable {
    package var user = ""
    /// The time at which the application is asked about the client again; nil for never.
    package var expiresAt: Timestamp?
    /// JSON text that other clients see in addition to the user.
    package var info: [UInt8]?
    /// JSON text for the client, in the answer to its connect command.
    package var data: [UInt8]?
    /// JSON text only for the application, which later questions repeat.
    package var meta: [UInt8]?
    package var subscriptions: [Topic: TokenSubscription] = [:]
    package var capabilities: [HookCapability] = []

    package init() {}
}

extension ConnectionClaims {
    /// The same as a token, from the answer of an application.
    package init(_ answer: HookConnect) {
        user = answer.user
        expiresAt = answer.expiresAt
        info = answer.info
        meta = answer.meta
        subscriptions = answer.subscriptions
        groups = []
        tokenID = nil
        issuedAt = nil
        login = nil
    }
}

/// Rights of a client in addition to those of the namespaces.
package struct HookCapability: Sendable, Equatable {
    package enum Right: String, Sendable, CaseIterable {
        case subscribe = "sub"
        case publish = "pub"
        case presence = "prs"
        case history = "hst"
    }

    /// Names of topics, or patterns of them with `*` if `isPattern`.
    package var topics: [String]
    package var isPattern: Bool
    package var rights: Set<Right>

    package init(topics: [String], isPattern: Bool = false, rights: Set<Right>) {
        self.topics = topics
        self.isPattern = isPattern
        self.rights = rights
    }
}

/// Whether a client, or a subscription, lasts.
package struct HookRefresh: Sendable, Equatable {
    package var hasExpired = false
    package var expiresAt: Timestamp?
    package var info: [UInt8]?
    package var meta: [UInt8]?
    /// Nil leaves those that the client has.
    package var capabilities: [HookCapability]?

    package init() {}
}

/// A subscription that the application allows.
package struct HookSubscription: Sendable, Equatable {
    package var expiresAt: Timestamp?
    package var subscription = TokenSubscription()
    /// The rights of the client in the topic, in addition to the rights of the namespace.
    package var rights: Set<HookCapability.Right> = []

    package init() {}
}

/// A publication that the application allows, with its changes.
package struct HookPublication: Sendable, Equatable {
    /// JSON text; nil leaves that of the client.
    package var data: [UInt8]?
    package var skipsHistory = false
    package var tags: [String: String] = [:]
    package var idempotencyKey: String?
    package var allowsDelta = false
    package var version: UInt64?
    package var versionEpoch = ""

    package init() {}
}
