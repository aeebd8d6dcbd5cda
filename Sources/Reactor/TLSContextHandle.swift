import COpenSSL
import Glibc

/// One SSL_CTX, freed with the object: its accepted parameters, its certificate, and its trusted
/// authorities.
final class TLSContextHandle {
    /// The suites of TLS 1.2 with forward secrecy and authenticated encryption, the cheapest first.
    static let cipherList = """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
        ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
        ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
        """

    /// The suites of TLS 1.3 that OpenSSL offers by default, the cheapest first.
    static let cipherSuites = """
        TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256
        """

    /// The groups for key exchange. Every client of the last ten years has one of the two, and no
    /// other is as cheap.
    static let serverGroups = "X25519:P-256"

    /// OpenSSL's security level: 2 requires 112 bits of security, such as RSA of 2048.
    private static let securityLevel: Int32 = 2

    /// The maximum size of a client's certificate with its issuers, in bytes.
    private static let clientChainLengthMax = 32 << 10
    /// The maximum number of issuers between a client's certificate and an authority.
    private static let clientIssuersMax: Int32 = 4

    let pointer: OpaquePointer

    init(_ method: OpaquePointer?, versions: ClosedRange<TLSVersion>) throws(TLSError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(method) else {
            throw .taken("no context", context: "tls configuration")
        }
        self.pointer = pointer
        SSL_CTX_set_security_level(pointer, TLSContextHandle.securityLevel)
        guard ssl_ctx_set_min_proto_version(pointer, versions.lowerBound.code) == 1,
            ssl_ctx_set_max_proto_version(pointer, versions.upperBound.code) == 1,
            SSL_CTX_set_cipher_list(pointer, TLSContextHandle.cipherList) == 1,
            SSL_CTX_set_ciphersuites(pointer, TLSContextHandle.cipherSuites) == 1
        else { throw .taken("versions or ciphers not available", context: "tls configuration") }
        SSL_CTX_set_options(pointer, ssl_op_no_renegotiation() | ssl_op_no_compression())
        // An idle connection then holds 15 KB instead of 32 KB.
        ssl_ctx_set_mode(pointer, Int(SSL_MODE_RELEASE_BUFFERS))
        // Resumption is by ticket, which the client keeps; a cache would be memory and a lock.
        ssl_ctx_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// Sets the options that only servers decide.
    func setServerPreferences() throws(TLSError) {
        guard ssl_ctx_set1_groups_list(pointer, TLSContextHandle.serverGroups) == 1 else {
            throw .taken("groups not available", context: "tls configuration")
        }
        // Our order, but ChaCha20 first for a client that puts it first: it has no AES
        // instructions.
        SSL_CTX_set_options(
            pointer,
            ssl_op_cipher_server_preference() | ssl_op_prioritize_chacha()
        )
        // One ticket instead of two saves a server a quarter of the handshake's CPU time. No ticket
        // would leave the handshake without a last flight of the server, for which clients without
        // TCP_NODELAY wait 40 ms.
        SSL_CTX_set_num_tickets(pointer, 1)
    }
}

// MARK: - Certificates and keys

extension TLSContextHandle {
    /// Loads a certificate and its key.
    ///
    /// - Throws: an error that names the file, when one cannot be read, or the key is not the
    ///   certificate's.
    func load(_ files: TLSCertificateFiles) throws(TLSError) -> TLSCertificate {
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(pointer, files.certificate) == 1,
            let certificate = SSL_CTX_get0_certificate(pointer)
        else { throw .taken("cannot read the certificate", context: files.certificate) }
        try loadKey(files)
        return try TLSCertificate(certificate, file: files.certificate)
    }

    /// Makes the callback for passphrases return that of `files` while `body` runs.
    private func withPassword(of files: TLSCertificateFiles, _ body: () -> Bool) -> Bool {
        guard let password = files.keyPassword else { return body() }
        return password.withCString { text in
            SSL_CTX_set_default_passwd_cb_userdata(pointer, UnsafeMutableRawPointer(mutating: text))
            defer { SSL_CTX_set_default_passwd_cb_userdata(pointer, nil) }
            return body()
        }
    }

    private func loadKey(_ files: TLSCertificateFiles) throws(TLSError) {
        // Without a callback, OpenSSL would ask for a passphrase on the terminal, and the start
        // would hang.
        SSL_CTX_set_default_passwd_cb(pointer) { buffer, size, _, password in
            guard let buffer, let password else { return -1 }
            let text = password.assumingMemoryBound(to: CChar.self)
            let length = strlen(text)
            guard length <= Int(size) else { return -1 }
            memcpy(buffer, text, length)
            return Int32(length)
        }
        let isRead = withPassword(of: files) {
            SSL_CTX_use_PrivateKey_file(pointer, files.key, SSL_FILETYPE_PEM) == 1
        }
        // Only this check detects a key of another kind than the certificate's.
        if isRead, SSL_CTX_check_private_key(pointer) == 1 { return }

        let errors = OpenSSLErrors.take()
        if errors.contains(library: ERR_LIB_PEM, reason: PEM_R_BAD_PASSWORD_READ) {
            throw TLSError(
                "the private key is encrypted, and key_password is missing",
                context: files.key
            )
        }
        if isRead || errors.contains(library: ERR_LIB_X509, reason: X509_R_KEY_VALUES_MISMATCH) {
            throw TLSError(
                "the private key does not belong to the certificate in \(files.certificate)",
                context: files.key
            )
        }
        let reason = errors.text.map { ": \($0)" } ?? ""
        throw TLSError("cannot read the private key\(reason)", context: files.key)
    }
}

// MARK: - Trust

extension TLSContextHandle {
    /// For clients.
    func trust(_ trust: TLSTrust) throws(TLSError) {
        ERR_clear_error()
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw .taken("cannot read the trusted certificates", context: "system")
            }
        case .file(let file):
            try loadAuthorities(file)
        case .insecureForTests:
            SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
            return
        }
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    }

    /// For servers.
    func expect(_ certificates: TLSClientCertificates) throws(TLSError) {
        ERR_clear_error()
        switch certificates {
        case .none:
            SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
        case .optional(let authorities):
            try expect(authorities, SSL_VERIFY_PEER)
        case .required(let authorities):
            try expect(authorities, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT)
        }
    }

    private func expect(_ authorities: String, _ mode: Int32) throws(TLSError) {
        try loadAuthorities(authorities)
        guard let names = SSL_load_client_CA_file(authorities) else {
            throw .taken("cannot read the trusted certificates", context: authorities)
        }
        // Takes ownership of the list, by which clients choose their certificate.
        SSL_CTX_set_client_CA_list(pointer, names)
        SSL_CTX_set_verify(pointer, mode, nil)
        SSL_CTX_set_verify_depth(pointer, TLSContextHandle.clientIssuersMax)
        ssl_ctx_set_max_cert_list(pointer, TLSContextHandle.clientChainLengthMax)
    }

    private func loadAuthorities(_ file: String) throws(TLSError) {
        guard SSL_CTX_load_verify_file(pointer, file) == 1 else {
            throw .taken("cannot read the trusted certificates", context: file)
        }
    }
}

extension TLSVersion {
    fileprivate var code: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}
