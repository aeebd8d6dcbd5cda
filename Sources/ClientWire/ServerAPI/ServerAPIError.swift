/// The error that answers one request or one command of a batch.
///
/// The code is one of the client protocol's; the message states what was wrong with this request,
/// and names the field.
package struct ServerAPIError: Error, Hashable, Sendable {
    package let code: UInt32
    package let message: String

    /// - Parameter reason: nil for the error's own text.
    package init(_ error: ProtocolError, _ reason: String? = nil) {
        code = error.code
        message = reason ?? error.message
    }

    static func badRequest(_ reason: String) -> ServerAPIError {
        ServerAPIError(.badRequest, reason)
    }

    /// The field has `count` units, more than `limit`.
    static func over(_ field: String, _ count: Int, _ unit: String, limit: Int) -> ServerAPIError {
        ServerAPIError(.limitExceeded, "\(field): \(count) \(unit) over limit \(limit)")
    }
}

/// Why the content of a request is not a request.
package enum ServerAPIRequestError: Error, Hashable, Sendable {
    /// The fields cannot be read.
    case notJSON(reason: String)
    case refused(ServerAPIError)
}
