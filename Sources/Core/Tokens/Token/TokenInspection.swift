/// The content of a token and whether it is valid, as one JSON object, for finding out why a token
/// is refused.
package struct TokenInspection: Sendable {
    private let text: String
    private let token: CompactToken

    /// - Throws: `TokenError.malformed` for text that is not a token.
    package init(_ text: String) throws(TokenError) {
        self.text = text
        token = try CompactToken(text)
        guard uniqueFields(of: token.claims) != nil else { throw .malformed(.claims) }
    }

    /// Nil when the token is good, as a subscription token for its own topic and user if it has a
    /// `channel`.
    package func refusal(by verifier: TokenVerifier, now: Timestamp) -> TokenError? {
        do throws(TokenError) {
            let claims = try ClaimSet(json: token.claims)
            guard claims.has("channel") else {
                _ = try verifier.verifyConnection(text, now: now)
                return nil
            }
            // A `channel` that is no topic is refused below, whatever stands in for it here.
            let name = try? claims.text("channel")
            let topic = name.flatMap { try? Topic($0) } ?? Topic(trusted: "none")
            let user = (try? claims.text("sub")) ?? ""
            _ = try verifier.verifySubscription(text, topic: topic, user: user, now: now)
            return nil
        } catch {
            return error
        }
    }

    /// `{"header":…,"claims":…}`, and with a verifier `"verified"` and, if that is false, `"error"` and
    /// `"reason"`.
    package func report(verifier: TokenVerifier?, now: Timestamp) -> String {
        let refusal = verifier.flatMap { self.refusal(by: $0, now: now) }
        var json = JSONWriter()
        json.object {
            $0.raw("header", token.header)
            $0.raw("claims", token.claims)
            if verifier != nil { $0.field("verified", refusal == nil) }
            if let refusal {
                $0.field("error", refusal.code)
                $0.field("reason", "\(refusal)")
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
