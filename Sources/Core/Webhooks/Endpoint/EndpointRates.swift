/// The rates of the endpoints that have one: a bucket of tokens for each, of which every attempt
/// takes one. A bucket holds the tokens of one second.
package struct EndpointRates: Sendable, Equatable {
    private var buckets: [String: TokenBucket] = [:]

    /// Attempts a second; 0 stands for an endpoint without a rate.
    package static let range = 0...10_000

    /// Longer than any bucket of the least rate has to wait for its next token.
    private static let waitMax = Duration.seconds(1)

    package init() {}

    /// Sets the rates that hold from here on, by endpoint. A bucket whose rate is the same as before stays as
    /// full as it is.
    package mutating func set(_ rates: [String: Int]) {
        var next: [String: TokenBucket] = [:]
        for (endpoint, rate) in rates where rate > 0 {
            precondition(Self.range.contains(rate), "rate \(rate) of \(endpoint)")
            let limit = RateLimit(perSecond: Double(rate), burst: rate)
            let before = buckets[endpoint].flatMap { $0.limit == limit ? $0 : nil }
            next[endpoint] = before ?? TokenBucket(limit)
        }
        buckets = next
    }

    /// Returns the rates of one endpoint, so that planning for it does not copy all others.
    package func only(_ endpoint: String) -> EndpointRates {
        var one = EndpointRates()
        one.buckets[endpoint] = buckets[endpoint]
        return one
    }

    /// When the endpoint may be called again; nil for at once.
    package func wait(of endpoint: String, now: Timestamp) -> Timestamp? {
        guard let bucket = bucket(of: endpoint, now: now) else { return nil }
        let wait = bucket.retryAfter(now: now.milliseconds)
        return wait == 0 ? nil : now + .milliseconds(wait)
    }

    /// Notes an attempt. Ask `wait` before.
    package mutating func take(from endpoint: String, now: Timestamp) {
        guard var bucket = bucket(of: endpoint, now: now) else { return }
        let isTaken = bucket.take(now: now.milliseconds)
        assert(isTaken, "no token for \(endpoint)")
        buckets[endpoint] = bucket
    }

    /// Returns a full bucket in place of one that would wait for longer than `waitMax`: the wall
    /// clock was set back, and the bucket would wait until the former time has come again.
    private func bucket(of endpoint: String, now: Timestamp) -> TokenBucket? {
        guard let bucket = buckets[endpoint] else { return nil }
        let wait = Duration.milliseconds(bucket.retryAfter(now: now.milliseconds))
        return wait <= Self.waitMax ? bucket : TokenBucket(bucket.limit)
    }
}
