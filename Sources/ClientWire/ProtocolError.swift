/// The error that answers one command; the connection stays. Causes: protocol/close-codes.md.
package struct ProtocolError: Error, Hashable, Sendable {
    package let code: UInt32
    package let message: String
    /// Whether the same command may succeed if it is tried again.
    package let isTemporary: Bool

    /// Errors with one code are equal, whatever explains them.
    package static func == (left: ProtocolError, right: ProtocolError) -> Bool {
        left.code == right.code
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }

    private init(_ code: UInt32, _ message: String, isTemporary: Bool = false) {
        self.code = code
        self.message = message
        self.isTemporary = isTemporary
    }

    /// An error of the application.
    package init(ofApplication code: UInt32, _ message: String, isTemporary: Bool) {
        self.init(code, message, isTemporary: isTemporary)
    }

    /// The same error with a sentence after its message: the change to make.
    package func explained(_ sentence: String) -> ProtocolError {
        ProtocolError(code, "\(message): \(sentence)", isTemporary: isTemporary)
    }

    package static let internalError = ProtocolError(
        100,
        "internal server error",
        isTemporary: true
    )
    package static let unauthorized = ProtocolError(101, "unauthorized")
    package static let unknownChannel = ProtocolError(102, "unknown channel")
    package static let permissionDenied = ProtocolError(103, "permission denied")
    package static let methodNotFound = ProtocolError(104, "method not found")
    package static let alreadySubscribed = ProtocolError(105, "already subscribed")
    package static let limitExceeded = ProtocolError(106, "limit exceeded")
    package static let badRequest = ProtocolError(107, "bad request")
    package static let notAvailable = ProtocolError(108, "not available")
    package static let tokenExpired = ProtocolError(109, "token expired")
    package static let expired = ProtocolError(110, "expired")
    package static let tooManyRequests = ProtocolError(111, "too many requests", isTemporary: true)
    package static let unrecoverablePosition = ProtocolError(112, "unrecoverable position")
    package static let concurrentPagination = ProtocolError(
        113,
        "concurrent pagination",
        isTemporary: true
    )

    /// Every error, by code.
    package static let all: [ProtocolError] = [
        .internalError, .unauthorized, .unknownChannel, .permissionDenied, .methodNotFound,
        .alreadySubscribed, .limitExceeded, .badRequest, .notAvailable, .tokenExpired, .expired,
        .tooManyRequests, .unrecoverablePosition, .concurrentPagination,
    ]
}

extension ProtocolError {
    package init(_ error: SubscribeError) {
        switch error {
        case .unknownTopic: self = .unknownChannel
        case .alreadySubscribed: self = .alreadySubscribed
        case .unrecoverablePosition: self = .unrecoverablePosition
        // There is room again when others have left; SDKs take `limitExceeded` as final.
        case .tooManyTopics: self = .tooManyRequests
        }
    }
}
