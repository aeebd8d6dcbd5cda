/// Returns the wait that a `Retry-After` field asks for, in seconds or as a date (RFC 9110
/// §10.2.3), at most `waitMax`; nil if it is missing or neither.
package func retryDelay(_ retryAfter: String?, now: Timestamp, waitMax: Duration) -> Duration? {
    guard let retryAfter else { return nil }
    if let seconds = deltaSeconds(retryAfter) { return min(.seconds(seconds), waitMax) }
    guard let date = Timestamp(httpDate: retryAfter) else { return nil }
    return max(.zero, min(date - now, waitMax))
}

/// Reads delta-seconds; a number too large to hold counts as 2³¹, which RFC 9111 §1.2.2 suggests.
package func deltaSeconds(_ text: some StringProtocol) -> Int64? {
    let digits = text.utf8
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let secondsMax: Int64 = 1 << 31
    return min(Int64(text) ?? secondsMax, secondsMax)
}
