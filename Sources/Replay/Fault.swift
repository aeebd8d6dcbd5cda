/// A period of the recording's clock in which one product is answered wrongly, as upstreams do.
package struct Fault: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A maintenance page with status 200.
        case html
        /// The first half of the body, but a complete HTTP response.
        case truncated
        /// A bare `NaN` in place of a number, which is not JSON.
        case nan
        case serverError = "500"
        /// 429 with `Retry-After`.
        case tooManyRequests = "429"
        /// No answer.
        case timeout
        /// A body of `Fault.zerosLength` zero bytes.
        case zeros
    }

    /// The length of the body of a `zeros` fault: far more than a client should accept.
    package static let zerosLength = 50_000_000
    /// `Retry-After` of a 429.
    static let retryAfterSeconds = 60

    /// The path of the product, or `*` for all.
    package var path: String
    package var from: Timestamp
    /// The first instant after the fault.
    package var until: Timestamp
    package var kind: Kind

    package init(path: String, from: Timestamp, until: Timestamp, kind: Kind) {
        self.path = path
        self.from = from
        self.until = until
        self.kind = kind
    }

    func applies(to path: String, at clock: Timestamp) -> Bool {
        (self.path == "*" || self.path == path) && from <= clock && clock < until
    }
}
