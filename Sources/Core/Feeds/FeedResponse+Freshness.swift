extension FeedResponse {
    /// The first instant at which the upstream allows another request; nil if it does not specify
    /// one.
    ///
    /// `max-age` makes `Expires` void (RFC 9111 §5.3). `Expires` is read relative to `Date`, as a
    /// freshness lifetime (RFC 9111 §4.2.1), so that different clocks are harmless.
    func freshUntil(now: Timestamp, waitMax: Duration) -> Timestamp? {
        if let maxAge = cacheControl.flatMap({ maxAgeSeconds($0) }) {
            return now + min(.seconds(maxAge), waitMax)
        }
        guard let expires = expires.flatMap({ Timestamp(httpDate: $0) }) else { return nil }
        let lifetime = expires - (date.flatMap { Timestamp(httpDate: $0) } ?? now)
        return lifetime > .zero ? now + min(lifetime, waitMax) : nil
    }
}

/// The value of `max-age` in a `Cache-Control` field (RFC 9111 §5.2.2.1); nil without a valid one.
func maxAgeSeconds(_ cacheControl: String) -> Int64? {
    for directive in cacheControl.split(separator: ",") {
        let parts = directive.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, trimmed(parts[0]).lowercased() == "max-age" else { continue }
        var argument = trimmed(parts[1])
        if argument.count >= 2, argument.hasPrefix("\""), argument.hasSuffix("\"") {
            argument = argument.dropFirst().dropLast()
        }
        return deltaSeconds(argument)
    }
    return nil
}

private func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
}
