import COpenSSL
import Expectations

@testable import Reactor

@Suite("TLS server: ciphers, groups, renegotiation", .timeLimit(.minutes(10)))
struct TLSPreferencesTests {
    private let identity: TLSTestIdentity

    init() throws {
        identity = try TLSTestIdentity()
    }

    @Test(arguments: [
        (
            "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256",
            "TLS_AES_128_GCM_SHA256"
        ),
        ("TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"),
        ("TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"),
    ])
    func serverPrefersTheCheapestSuiteUnlessTheClientLacksAES(
        offered: String,
        chosen: String
    ) throws {
        let pair = try pair(.tls13) { SSL_set_ciphersuites($0, offered) }
        expectEqual(cipher(of: pair.server), chosen)
    }

    @Test(arguments: [
        (
            "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256",
            "ECDHE-ECDSA-AES128-GCM-SHA256"
        ),
        (
            "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256",
            "ECDHE-ECDSA-CHACHA20-POLY1305"
        ),
    ])
    func serverPrefersTheCheapestCipherOfTLS12(offered: String, chosen: String) throws {
        let pair = try pair(.tls12) { SSL_set_cipher_list($0, offered) }
        expectEqual(cipher(of: pair.server), chosen)
    }

    /// Without forward secrecy, or without authenticated encryption.
    @Test(arguments: [
        "ECDHE-ECDSA-AES128-SHA256", "ECDHE-RSA-AES128-SHA256", "AES128-GCM-SHA256",
        "DHE-RSA-AES128-GCM-SHA256",
    ])
    func weakerCipherOfTLS12IsRefused(cipher: String) throws {
        let pair = try pair(.tls12) { SSL_set_cipher_list($0, cipher) }
        expectEqual(pair.server.failure?.message, "no shared cipher")
    }

    @Test(arguments: [
        ("X25519:P-256", NID_X25519), ("P-256:X25519", NID_X25519),
        ("P-256", NID_X9_62_prime256v1),
    ])
    func serverTakesTheGroupItKnows(offered: String, chosen: Int32) throws {
        for version in [TLSVersion.tls12, .tls13] {
            let pair = try pair(version) { setGroups(offered, of: $0) }
            expectEqual(pair.server.state, .open)
            // P-256 first means that the client has sent a share for it, and TLS 1.3 takes that
            // rather than ask for another.
            let expected =
                version == .tls13 && offered.hasPrefix("P-256") ? NID_X9_62_prime256v1 : chosen
            let group = SSL_ctrl(
                pair.server.session.ssl,
                SSL_CTRL_GET_NEGOTIATED_GROUP,
                0,
                nil
            )
            expectEqual(group, Int(expected), "\(version)")
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func otherGroupIsRefused(version: TLSVersion) throws {
        let pair = try pair(version) { setGroups("P-521", of: $0) }
        expect(pair.server.failure != nil)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func certificateMayHaveAKeyOfAnotherCurve(version: TLSVersion) throws {
        let strong = try TLSTestIdentity(keyKind: .ellipticCurveP384)
        let pair = try connectedPair(
            server: strong.serverContext(),
            client: strong.clientContext(versions: version...version)
        )
        expectEqual(pair.server.state, .open)
        expectEqual(pair.client.state, .open)
    }

    @Test func keyThatIsTooShortIsRefusedAtTheStart() throws {
        let weak = try TLSTestIdentity(keyKind: .rsa1024)
        let error = #expect(throws: TLSError.self) { try weak.serverContext() }
        expectEqual(
            error?.description,
            "\(weak.certificateFile): cannot read the certificate: ee key too small"
        )
    }

    @Test func renegotiationIsRefusedAndTheConnectionGoesOn() throws {
        let pair = try pair(.tls12) { SSL_clear_options($0, ssl_op_no_renegotiation()) }
        let ssl = pair.client.session.ssl
        expectEqual(SSL_renegotiate(ssl), 1)
        SSL_do_handshake(ssl)
        let hello = pair.client.takeOutput()
        expect(!hello.isEmpty)
        pair.server.receive(hello)
        expectEqual(pair.server.state, .open)
        // One record, an encrypted alert: no_renegotiation.
        let answer = try require(TLSRecord.all(in: pair.server.takeOutput()))
        expectEqual(answer.map(\.type), [TLSRecord.alert])
    }

    private func pair(
        _ version: TLSVersion,
        _ prepare: (OpaquePointer) -> Void
    ) throws -> (client: TLSTestPeer, server: TLSTestPeer) {
        try connectedPair(
            server: identity.serverContext(),
            client: identity.clientContext(versions: version...version),
            prepare: prepare
        )
    }

    private func setGroups(_ groups: String, of ssl: OpaquePointer) {
        var text = Array(groups.utf8CString)
        let result = SSL_ctrl(ssl, SSL_CTRL_SET_GROUPS_LIST, 0, &text)
        expectEqual(result, 1)
    }
}
