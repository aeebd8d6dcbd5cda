/// Why a body is no answer: the place of the first fault in it.
package struct HookAnswerError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Reads the bodies of answers: `{"result":{…}}`, `{"error":{…}}` or `{"disconnect":{…}}`.
///
/// Fields that are null are missing, and unknown fields are ignored, as by Centrifugo. A field of another type is
/// an error.
extension HookAnswer {
    package static let bytesMax = 1 << 20

    /// The longest reason that a close frame can carry: RFC 6455 §5.5.
    private static let reasonBytesMax = 123

    package init(_ body: [UInt8], to event: HookEvent) throws(HookAnswerError) {
        let claims: ClaimSet
        do throws(TokenError) {
            claims = try ClaimSet(json: body, ignoringNull: true)
        } catch {
            throw HookAnswerError("the body is not a JSON object")
        }
        do throws(TokenError) {
            if let disconnect = try claims.object("disconnect") {
                self = try HookAnswer(disconnect: disconnect)
            } else if let error = try claims.object("error") {
                self = .error(try Refusal(error))
            } else {
                self = try HookAnswer(try claims.object("result"), to: event)
            }
        } catch {
            guard case .claim(let place) = error else { throw HookAnswerError("\(error)") }
            throw HookAnswerError("\(place) is missing or cannot be used")
        }
    }

    private init(disconnect claims: ClaimSet) throws(TokenError) {
        guard let code = try claims.integer("code"), (3000...4999).contains(code) else {
            throw .claim("disconnect.code")
        }
        let reason = try claims.freeText("reason") ?? ""
        guard reason.utf8.count <= HookAnswer.reasonBytesMax else {
            throw .claim("disconnect.reason")
        }
        self = .disconnect(code: UInt16(code), reason: reason)
    }

    /// - Parameter result: nil if the answer has none: then connections and subscriptions have expired, a
    ///   client is anonymous, and everything else is allowed.
    private init(_ result: ClaimSet?, to event: HookEvent) throws(TokenError) {
        switch event {
        case .connect: self = .connect(try result.map(HookConnect.init) ?? HookConnect())
        case .refresh, .subRefresh:
            var expired = HookRefresh()
            expired.hasExpired = true
            self = .refresh(try result.map(HookRefresh.init) ?? expired)
        case .subscribe:
            self = .subscribe(try result.map(HookSubscription.init) ?? HookSubscription())
        case .publish:
            self = .publish(try result.map(HookPublication.init) ?? HookPublication())
        case .rpc: self = .rpc(try result?.json("data", orBase64: "b64data"))
        case .cacheEmpty: self = .cacheEmpty(isPopulated: try result?.flag("populated") ?? false)
        }
    }
}

extension HookAnswer.Refusal {
    fileprivate init(_ claims: ClaimSet) throws(TokenError) {
        guard let code = try claims.integer("code"), let code = UInt32(exactly: code) else {
            throw .claim("error.code")
        }
        self.init(
            code: code,
            message: try claims.freeText("message") ?? "",
            isTemporary: try claims.flag("temporary") ?? false
        )
    }
}

extension HookConnect {
    fileprivate init(_ claims: ClaimSet) throws(TokenError) {
        user = try claims.text("user") ?? ""
        expiresAt = try claims.expiry()
        info = try claims.json("info", orBase64: "b64info")
        data = try claims.json("data", orBase64: "b64data")
        meta = claims.json("meta")
        for topic in try claims.topics("channels") { subscriptions[topic] = TokenSubscription() }
        for (topic, claims) in try claims.objectsByTopic("subs") {
            subscriptions[topic] = try TokenSubscription(claims)
        }
        capabilities = try claims.objects("caps").map(HookCapability.init)
    }
}

extension HookCapability {
    fileprivate init(_ claims: ClaimSet) throws(TokenError) {
        topics = try claims.texts("channels")
        switch try claims.text("match") ?? "" {
        case "": isPattern = false
        case "wildcard": isPattern = true
        default: throw .claim("result.caps.match")
        }
        rights = try HookCapability.rights(claims, "allow")
    }

    fileprivate static func rights(
        _ claims: ClaimSet,
        _ name: String
    ) throws(TokenError) -> Set<Right> {
        var rights: Set<Right> = []
        for text in try claims.texts(name) {
            guard let right = Right(rawValue: text) else { throw .claim("result.\(name)") }
            rights.insert(right)
        }
        return rights
    }
}

extension HookRefresh {
    fileprivate init(_ claims: ClaimSet) throws(TokenError) {
        hasExpired = try claims.flag("expired") ?? false
        expiresAt = try claims.expiry()
        info = try claims.json("info", orBase64: "b64info")
        meta = claims.json("meta")
        if claims.has("caps") { capabilities = try claims.objects("caps").map(HookCapability.init) }
    }
}

extension HookSubscription {
    fileprivate init(_ claims: ClaimSet) throws(TokenError) {
        expiresAt = try claims.expiry()
        subscription = try TokenSubscription(claims)
        rights = try HookCapability.rights(claims, "allow")
    }
}

extension HookPublication {
    fileprivate init(_ claims: ClaimSet) throws(TokenError) {
        data = try claims.json("data", orBase64: "b64data")
        skipsHistory = try claims.flag("skip_history") ?? false
        tags = try claims.textsByName("tags")
        idempotencyKey = try claims.text("idempotency_key").flatMap { $0.isEmpty ? nil : $0 }
        allowsDelta = try claims.flag("delta") ?? false
        guard let number = try claims.integer("version"), number != 0 else { return }
        guard number > 0 else { throw .claim("result.version") }
        version = UInt64(number)
        versionEpoch = try claims.text("version_epoch") ?? ""
    }
}

extension ClaimSet {
    /// `expire_at` in seconds since 1970; nil for 0, which is never.
    fileprivate func expiry() throws(TokenError) -> Timestamp? {
        guard let seconds = try integer("expire_at"), seconds != 0 else { return nil }
        guard (1...Int64(ClaimSet.secondsMax)).contains(seconds) else {
            throw .claim("result.expire_at")
        }
        return Timestamp(seconds: Double(seconds))
    }
}
