/// The `error` object of an AI provider's answer: of Anthropic's
/// `{"type":"error","error":{"type","message"}}` as of OpenAI's
/// `{"error":{"message","type","code"}}`.
struct ProviderErrorObject {
    private let error: JSONObject

    /// Nil when the body has none.
    init?(_ body: JSONObject) {
        guard let error = body.object("error") else { return nil }
        self.error = error
    }

    /// Whether its type or its code is `word`.
    func isOf(_ word: String) -> Bool {
        error.string("type") == word || error.string("code") == word
    }

    /// Some gateways answer 200 and tell the status here.
    var status: Int? {
        guard let code = error.count("code"), (400...599).contains(code) else { return nil }
        return code
    }

    /// The name of the error for the operator. The message is left out: some servers repeat the key
    /// in it. Types are words, so only letters and underscores are accepted.
    var name: String? {
        let lengthMax = 40
        return [error.string("type"), error.string("code")].compactMap { $0 }.first { word in
            !word.isEmpty && word.utf8.count <= lengthMax
                && word.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) }
        }
    }

    /// Whether the provider's balance or spending limit is used up. The type does not always show
    /// it: a spending limit comes as `rate_limit_error` with status 429, an empty balance as
    /// `invalid_request_error` with 400.
    var isOfMoney: Bool {
        if isOf("billing_error") || isOf("insufficient_quota") { return true }
        guard let message = error.string("message")?.lowercased() else { return false }
        return ["spend limit", "spending limit", "credit balance", "api usage limits"]
            .contains { message.contains($0) }
    }
}

extension ProviderFailure {
    /// The failure that a status other than 200 means; nil for the 2xx.
    ///
    /// - Parameter notFoundDisables: whether 404 means that the model is gone, and not that there
    ///   is nothing on this topic.
    package init?(_ response: ProviderResponse, notFoundDisables: Bool) {
        guard !(200..<300).contains(response.status) else { return nil }
        self.init(
            status: response.status,
            error: JSONObject(body: response.body).flatMap { ProviderErrorObject($0) },
            notFoundDisables: notFoundDisables,
            response: response
        )
    }

    /// An error that a status of 200 hid, in the body or in the middle of a stream.
    init(hidden error: ProviderErrorObject?, in response: ProviderResponse) {
        self.init(
            status: error?.status ?? 500,
            error: error,
            notFoundDisables: true,
            response: response
        )
    }

    /// Statuses that do not change until an operator acts.
    private static let disablingStatuses: Set = [401, 402, 403]
    /// Overload, in no RFC.
    private static let overloadedStatus = 529

    private init(
        status: Int,
        error: ProviderErrorObject?,
        notFoundDisables: Bool,
        response: ProviderResponse
    ) {
        let reason = "status \(status)" + (error?.name.map { ", \($0)" } ?? "")
        let isOverload = status == Self.overloadedStatus || error?.isOf("overloaded_error") == true
        let isDisabling =
            Self.disablingStatuses.contains(status) || (status == 404 && notFoundDisables)
            || ((400..<500).contains(status) && error?.isOfMoney == true)
        switch (isDisabling, isOverload || Self.isRetryable(status, response)) {
        case (true, _): self = .disabled(reason: reason)
        case (false, true):
            self = .retryable(reason: reason, after: response.retryDelay, isOverload: isOverload)
        case (false, false): self = .permanent(reason: reason)
        }
    }

    /// `x-should-retry` is the provider's own word on it and counts for more than the status.
    private static func isRetryable(_ status: Int, _ response: ProviderResponse) -> Bool {
        switch response.header("x-should-retry") {
        case "true": true
        case "false": false
        default: [408, 409, 425, 429].contains(status) || status >= 500
        }
    }
}

extension ProviderResponse {
    /// The maximum delay: a provider that demands a longer one is asked again after this time.
    private static let retryDelayMax = Duration.seconds(86_400)

    /// The time that the provider asks to wait: `retry-after-ms`, else `Retry-After` in seconds,
    /// with or without a fraction, or as a date, which is compared with the answer's own `Date`.
    var retryDelay: Duration? {
        if let milliseconds = number("retry-after-ms") { return Self.delay(milliseconds / 1000) }
        if let seconds = number("retry-after") { return Self.delay(seconds) }
        guard let date = header("date").flatMap({ Timestamp(httpDate: $0) }) else { return nil }
        return Base.retryDelay(
            header("retry-after"),
            now: date,
            waitMax: Self.retryDelayMax
        )
    }

    private func number(_ name: String) -> Double? {
        guard let number = header(name).flatMap({ Double($0) }), number.isFinite, number >= 0
        else { return nil }
        return number
    }

    private static func delay(_ seconds: Double) -> Duration {
        .seconds(min(seconds, retryDelayMax.inSeconds))
    }
}
