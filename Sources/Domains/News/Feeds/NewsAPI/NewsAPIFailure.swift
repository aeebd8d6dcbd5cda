/// Why bytes are no answer of NewsAPI with articles.
package enum NewsAPIFailure: Error, Equatable, CustomStringConvertible {
    /// In bytes.
    case tooLong(length: Int, limit: Int)
    /// Neither articles nor an error; with a description of the content.
    case notAnAnswer(String)
    /// NewsAPI's own error, such as `apiKeyInvalid`, with its message.
    case refused(code: String, message: String)

    /// The consequence of a failure for the requests after it.
    package enum Consequence: Sendable {
        /// The same request fails again until an operator acts.
        case stop
        /// The key has made too many requests.
        case wait
        /// The next request may have an answer.
        case goOn
    }

    package var consequence: Consequence {
        guard case .refused(let code, _) = self else { return .goOn }
        switch code {
        case "rateLimited", "apiKeyExhausted": return .wait
        case "apiKeyDisabled", "apiKeyInvalid", "apiKeyMissing", "parameterInvalid",
            "parametersMissing", "parametersIncompatible", "sourcesTooMany", "sourceDoesNotExist",
            "maximumResultsReached":
            return .stop
        default: return .goOn
        }
    }

    package var description: String {
        switch self {
        case .tooLong(let length, let limit): "answer of \(length) bytes, over limit \(limit)"
        case .notAnAnswer(let found): "not an answer of NewsAPI: \(found)"
        case .refused(let code, let message): message.isEmpty ? code : "\(code): \(message)"
        }
    }
}
