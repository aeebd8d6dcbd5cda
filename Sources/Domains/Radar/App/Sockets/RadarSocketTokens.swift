import DomainKit

/// Makes and checks socket tokens: each opens the socket of one radar for a short time, and nothing else.
///
/// The app sends no headers when it opens a socket, and an access token must not be in a URL, which
/// is logged and stored in many places. A token is `rst_` and base64url of: the version, two times
/// in milliseconds, the time at which the access token was issued, the login of that token, and the
/// first bytes of an HMAC-SHA256 over these, the radar and its owner. It has no dots, so no
/// verifier of access tokens accepts it.
package struct RadarSocketTokens: Sendable {
    /// The claims of the access token for which a socket token is made.
    package struct Grant: Sendable, Equatable {
        package var login: String?
        package var issuedAt: Timestamp?
        /// When a socket that was opened with it ends; nil for never.
        package var endsAt: Timestamp?

        package init(login: String? = nil, issuedAt: Timestamp? = nil, endsAt: Timestamp? = nil) {
            self.login = login
            self.issuedAt = issuedAt
            self.endsAt = endsAt
        }
    }

    /// The prefix of every token.
    package static let prefix = "rst_"
    /// Bytes of a key.
    package static let keyLengthMin = 32

    private static let version: UInt8 = 1
    private static let tagLength = 16
    /// The version and three times.
    private static let fixedLength = 25
    /// Ids of logins are shorter.
    private static let loginLengthMax = 255
    private static let context = "varde radar socket"

    private let key: [UInt8]
    private let lifetime: Duration

    /// - Parameters:
    ///   - key: secret and the same after a restart; of `keyLengthMin` bytes at least.
    ///   - lifetime: longest time from issue to expiry; the shortest is half of it.
    package init(key: [UInt8], lifetime: Duration) {
        precondition(key.count >= Self.keyLengthMin, "the key of socket tokens is too short")
        precondition(lifetime >= .milliseconds(2), "the lifetime of socket tokens is too short")
        self.key = key
        self.lifetime = lifetime
    }

    // MARK: Making

    /// The token of a radar, the same for the same grant within each half of the lifetime: an entity tag of an
    /// answer with a token changes only twice in a lifetime.
    ///
    /// Nil for a login that is too long for one.
    package func token(
        of radarID: String,
        owner: String,
        _ grant: Grant,
        now: Timestamp
    ) -> String? {
        let login = Array((grant.login ?? "").utf8)
        guard login.count <= Self.loginLengthMax else { return nil }
        let step = lifetime.wholeMilliseconds / 2
        let start = now.roundedDown(to: .milliseconds(step))
        let expiry = start.milliseconds + 2 * step
        var payload = [Self.version]
        for milliseconds in [
            expiry, grant.endsAt?.milliseconds ?? 0, grant.issuedAt?.milliseconds ?? 0,
        ] {
            let word = UInt64(bitPattern: milliseconds)
            payload += stride(from: 56, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: word >> $0)
            }
        }
        payload += login
        return Self.prefix + Base64URL.encode(payload + tag(of: payload, radarID, owner))
    }

    // MARK: Checking

    /// Returns the grant of a token of this radar.
    ///
    /// - Throws: `TokenError` for one that is of another radar, owner or hub, or has expired.
    package func grant(
        of text: String,
        radarID: String,
        owner: String,
        now: Timestamp
    ) throws(TokenError) -> Grant {
        let lengthMax = Self.fixedLength + Self.loginLengthMax + Self.tagLength
        let encoded = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard encoded.count <= 2 * lengthMax, let bytes = Base64URL.decode(encoded[...]),
            (Self.fixedLength + Self.tagLength...lengthMax).contains(bytes.count)
        else { throw .malformed(.encoding) }
        let payload = Array(bytes.dropLast(Self.tagLength))
        // The tag first: data that it does not cover are not worth reading.
        guard
            isEqualInConstantTime(
                tag(of: payload, radarID, owner),
                Array(bytes.suffix(Self.tagLength))
            )
        else { throw .signature }
        guard payload[0] == Self.version else { throw .malformed(.encoding) }
        let times = (0..<3).map { index in
            let start = 1 + 8 * index
            let word = payload[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Timestamp(milliseconds: Int64(bitPattern: word))
        }
        func time(_ index: Int) -> Timestamp? {
            times[index].milliseconds == 0 ? nil : times[index]
        }
        guard now < times[0], time(1).map({ now < $0 }) ?? true else { throw .expired }
        let login = String(decoding: payload[Self.fixedLength...], as: UTF8.self)
        return Grant(login: login.isEmpty ? nil : login, issuedAt: time(2), endsAt: time(1))
    }

    private func tag(of payload: [UInt8], _ radarID: String, _ owner: String) -> [UInt8] {
        // The lengths of both texts are in it, so no two pairs of radar and owner have one message.
        let names = "\(radarID.utf8.count) \(radarID) \(owner.utf8.count) \(owner) "
        let message = Array("\(Self.context) \(names)".utf8) + payload
        return Array(hmacSHA256(key: key, message: message).prefix(Self.tagLength))
    }
}
