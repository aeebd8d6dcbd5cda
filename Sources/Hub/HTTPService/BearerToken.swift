/// The bearer token of a request: `Authorization: Bearer TOKEN` (RFC 6750 §2.1).
package struct BearerToken {
    package let text: String

    /// Returns nil for a request without a token: without the header, or with one of another
    /// scheme.
    package init?(authorization value: String?) {
        let parts = value?.split(separator: " ") ?? []
        // RFC 9110 §11.1: "a case-insensitive token" names the scheme.
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        text = String(parts[1])
    }
}
