import Timekeeping

/// How long a `Retry-After` field asks to wait, in seconds or as a date (RFC 9110 §10.2.3), at most
/// `waitMax`; nil when it is missing or neither.
func retryDelay(_ retryAfter: String?, now: Timestamp, waitMax: Duration) -> Duration? {
    guard let retryAfter else { return nil }
    if let seconds = decimalSeconds(retryAfter) { return min(.seconds(seconds), waitMax) }
    guard let date = Timestamp(httpDate: retryAfter) else { return nil }
    return max(.zero, min(date - now, waitMax))
}

/// Reads digits alone; nil for anything else and for more than 12 of them, which is 31,000 years.
func decimalSeconds(_ text: String) -> Int64? {
    let digits = text.utf8
    guard (1...12).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text)
}
