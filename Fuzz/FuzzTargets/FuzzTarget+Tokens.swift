import Core
import FuzzKit

extension FuzzTarget {
    static let tokenTargets = [
        FuzzTarget("hook-answer", lengthMax: 2048, dictionary: "token") { bytes in
            for event in HookEvent.allCases { try checkHookAnswer(bytes, to: event) }
        },
        FuzzTarget("jwk", lengthMax: 2048, dictionary: "token") { try checkKeySet($0) },
        FuzzTarget("pem", lengthMax: 2048, dictionary: "token") { try checkPEM($0) },
        FuzzTarget("token", lengthMax: 1024, dictionary: "token") { bytes in
            try checkToken(String(decoding: bytes, as: UTF8.self))
            try checkSigned(bytes)
        },
    ]
}

private let now = Timestamp(milliseconds: 1_780_000_000_000)
private let secret = [UInt8](repeating: 7, count: TokenKey.secretLengthMin)

/// A document with keys, or why it has none. Of its keys some are usable; they have their algorithms and
/// names, and believe no signature that their owners have not made.
private func checkKeySet(_ bytes: [UInt8]) throws {
    let set: JSONWebKeySet
    do throws(JSONWebKeySetError) { set = try JSONWebKeySet(document: bytes) } catch {
        return try checkDescription(error.description)
    }
    try expect((1...JSONWebKeySet.keyCountMax).contains(set.keys.count), "\(set.keys.count) keys")
    var usable = 0
    for key in set.keys {
        let made: TokenKey
        do throws(TokenKeyError) { made = try TokenKey.published(key) } catch {
            try expect(error == .notAPublicKey, "\(error)")
            continue
        }
        usable += 1
        try expect(made.algorithm == key.algorithm && made.id == key.id, "another key")
        try expect(made.algorithm != .hs256, "a secret was published")
        try checkBelievesNothing(made)
    }
    let keys = TokenKey.published(set.keys)
    try expect(keys.count == usable, "\(keys.count) of \(usable) usable keys")
}

/// A public key, or why there is none.
private func checkPEM(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let key: TokenKey
    do throws(TokenKeyError) { key = try TokenKey.publicKey(pem: text) } catch {
        try expect(error == .notAPublicKey || error == .privateKey, "\(error)")
        return
    }
    try expect(key.algorithm != .hs256, "a secret in PEM")
    try checkBelievesNothing(key)
}

/// Signatures that nobody has made.
private func checkBelievesNothing(_ key: TokenKey) throws {
    let verifier = TokenVerifier(keys: TokenKeySet(configured: [key]))
    let header = #"{"alg":"\#(key.algorithm.rawValue)"}"#
    for length in [0, 32, 64, 65, 256] {
        let signature = [UInt8](repeating: 0x11, count: length)
        let token = [Array(header.utf8), Array("{}".utf8), signature].map(base64URL)
        let error = refusal(token.joined(separator: "."), by: verifier)
        try expect(error == .signature, "\(length) bytes: \(error.map { "\($0)" } ?? "believed")")
    }
}

private let verifier: TokenVerifier = {
    guard let key = try? TokenKey.secret(secret) else { preconditionFailure("no key") }
    return TokenVerifier(keys: TokenKeySet(configured: [key], published: []))
}()

/// A token that is good or refused; the inspection agrees, and shows what it shows as one line of JSON.
private func checkToken(_ text: String) throws {
    let error = refusal(text, by: verifier)
    if let error {
        try checkDescription(error.description)
        try expect(!error.code.isEmpty, "no code")
    }
    let inspection: TokenInspection
    do throws(TokenError) { inspection = try TokenInspection(text) } catch {
        guard case .malformed = error else { throw Violation(description: "\(error)") }
        return
    }
    // A subscription token is none for a connection; for the inspection it is one for its own topic.
    guard error != .claim("channel") else { return }
    let inspected = inspection.refusal(by: verifier, now: now)
    try expect(inspected?.code == error?.code, "inspected: \(inspected?.code ?? "good")")
}

/// A header, a line break, and claims: the same behind a signature that is right, so that the claims are
/// read.
private func checkSigned(_ bytes: [UInt8]) throws {
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
    let parts = [Array(bytes[..<end]), Array(bytes[end...].dropFirst())]
    let text = parts.map(base64URL).joined(separator: ".")
    let signature = hmacSHA256(key: secret, message: Array(text.utf8))
    let token = text + "." + base64URL(signature)
    try checkToken(token)
    do throws(TokenError) {
        let claims = try verifier.verifyConnection(token, now: now)
        guard claims.user.utf8.count <= 255, claims.expiresAt.map({ $0 > now }) ?? true else {
            throw .claim("limits")
        }
    } catch {
        try expect(error != .claim("limits"), "a claim over its limit was granted")
        try expect(error != .signature, "our own signature is not believed")
    }
}

private func refusal(_ token: String, by verifier: TokenVerifier) -> TokenError? {
    do throws(TokenError) {
        _ = try verifier.verifyConnection(token, now: now)
        return nil
    } catch {
        return error
    }
}

/// RFC 7515 §2.
private func base64URL(_ bytes: [UInt8]) -> String {
    base64(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

/// An answer of an application, whose texts and numbers are within their limits, or the place of its fault.
private func checkHookAnswer(_ bytes: [UInt8], to event: HookEvent) throws {
    let answer: HookAnswer
    do throws(HookAnswerError) { answer = try HookAnswer(bytes, to: event) } catch {
        return try checkDescription(error.description)
    }
    switch answer {
    case .connect(let connect):
        try expect(TokenName.isValid(connect.user), "a user that is no name")
        for json in [connect.info, connect.data, connect.meta] { try checkJSON(json) }
        for granted in connect.subscriptions.values {
            for json in [granted.info, granted.data] { try checkJSON(json) }
        }
    case .refresh(let refresh): for json in [refresh.info, refresh.meta] { try checkJSON(json) }
    case .subscribe(let answer):
        for json in [answer.subscription.info, answer.subscription.data] { try checkJSON(json) }
    case .publish(let publication):
        try checkJSON(publication.data)
        try expect(publication.version != 0 && publication.idempotencyKey != "", "an empty value")
    case .rpc(let data): try checkJSON(data)
    case .cacheEmpty, .error: break
    case .disconnect(let code, let reason):
        try expect((3000...4999).contains(code) && reason.utf8.count <= 123, "\(code)")
    }
}

private func checkJSON(_ bytes: [UInt8]?) throws {
    guard let bytes else { return }
    try expect(isJSON(bytes), "data that is not JSON")
}
