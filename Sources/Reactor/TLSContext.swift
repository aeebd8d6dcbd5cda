import COpenSSL
import Timekeeping

/// The versions of TLS that are spoken; older ones are refused (RFC 8996).
package enum TLSVersion: Comparable, Sendable {
    case tls12
    case tls13

    fileprivate var code: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}

/// Whom a client believes.
package enum TLSTrust: Sendable {
    /// The certificate authorities that the system trusts.
    case system
    /// The certificates in a PEM file, and no others.
    case file(String)
    /// Anyone: neither the certificate nor the host name is checked. For tests on loopback.
    case insecureForTests
}

/// What all TLS sessions of one listener, or of one client, have in common: the certificate, the
/// key, and what is agreed to.
///
/// `@unchecked Sendable`: OpenSSL locks an `SSL_CTX` internally, and after `init` nothing here
/// changes it; sessions of any loop may be made from it at once.
package final class TLSContext: @unchecked Sendable {
    /// For TLS 1.2, what offers forward secrecy and authenticated encryption. The suites of TLS 1.3
    /// all do, and stay OpenSSL's default.
    static let cipherList = """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:\
        ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:\
        ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
        """

    /// The SSL_CTX.
    let handle: OpaquePointer
    let isServer: Bool
    private let applicationProtocols: ApplicationProtocols

    /// A server's context.
    ///
    /// - Parameters:
    ///   - serverCertificateChainFile: PEM, the server's own certificate first, then its issuers.
    ///   - privateKeyFile: PEM, without a passphrase.
    ///   - alpn: the protocols offered, most wanted first. A client that names only others is
    ///     refused (RFC 7301 §3.2); one that names none is served.
    /// - Throws: an error that names the file, when one cannot be read, the key is not the
    ///   certificate's, or the certificate is not valid today.
    package init(
        serverCertificateChainFile: String,
        privateKeyFile: String,
        alpn: [String] = ["http/1.1"],
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    ) throws(TLSError) {
        ERR_clear_error()
        handle = try TLSContext.make(TLS_server_method(), versions: versions)
        isServer = true
        applicationProtocols = ApplicationProtocols(alpn)

        // From here on `deinit` frees the handle when an error is thrown.
        try loadCertificateChain(serverCertificateChainFile)
        try loadPrivateKey(privateKeyFile, certificateFile: serverCertificateChainFile)
        // One ticket instead of two saves a server a quarter of the handshake's CPU time. None at
        // all would leave the handshake without a last flight of the server, on which clients
        // without TCP_NODELAY wait 40 ms.
        SSL_CTX_set_num_tickets(handle, 1)
        SSL_CTX_set_alpn_select_cb(
            handle,
            selectApplicationProtocol,
            Unmanaged.passUnretained(applicationProtocols).toOpaque()
        )
    }

    /// A client's context.
    ///
    /// - Throws: an error that names the file of trusted certificates, when it cannot be read.
    package init(
        clientTrusting trust: TLSTrust,
        alpn: [String] = ["http/1.1"],
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    ) throws(TLSError) {
        ERR_clear_error()
        handle = try TLSContext.make(TLS_client_method(), versions: versions)
        isServer = false
        applicationProtocols = ApplicationProtocols(alpn)

        try loadTrust(trust)
        // The only function of OpenSSL's that answers 0 for success.
        let names = applicationProtocols.wireFormat
        guard SSL_CTX_set_alpn_protos(handle, names.baseAddress, UInt32(names.count)) == 0 else {
            throw .taken("not protocol names: \(alpn)", context: "tls configuration")
        }
    }

    deinit {
        SSL_CTX_free(handle)
    }

    private static func make(
        _ method: OpaquePointer?,
        versions: ClosedRange<TLSVersion>
    ) throws(TLSError) -> OpaquePointer {
        guard let handle = SSL_CTX_new(method) else {
            throw .taken("no context", context: "tls configuration")
        }
        guard ssl_ctx_set_min_proto_version(handle, versions.lowerBound.code) == 1,
            ssl_ctx_set_max_proto_version(handle, versions.upperBound.code) == 1,
            SSL_CTX_set_cipher_list(handle, cipherList) == 1
        else {
            SSL_CTX_free(handle)
            throw .taken("versions or ciphers not available", context: "tls configuration")
        }
        SSL_CTX_set_options(handle, ssl_op_no_renegotiation() | ssl_op_no_compression())
        // An idle connection then holds 15 KB instead of 32 KB.
        ssl_ctx_set_mode(handle, Int(SSL_MODE_RELEASE_BUFFERS))
        // Resumption is by ticket, which the client keeps; a cache would be memory and a lock.
        ssl_ctx_set_session_cache_mode(handle, Int(SSL_SESS_CACHE_OFF))
        return handle
    }
}

// MARK: - Files

extension TLSContext {
    private func loadCertificateChain(_ file: String) throws(TLSError) {
        guard SSL_CTX_use_certificate_chain_file(handle, file) == 1,
            let certificate = SSL_CTX_get0_certificate(handle)
        else { throw .taken("cannot read the certificate", context: file) }
        if X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0 {
            let end = text(X509_get0_notAfter(certificate))
            throw TLSError("the certificate expired at \(end)", context: file)
        }
        if X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0 {
            let start = text(X509_get0_notBefore(certificate))
            throw TLSError("the certificate is not valid before \(start)", context: file)
        }
    }

    private func loadPrivateKey(_ file: String, certificateFile: String) throws(TLSError) {
        // OpenSSL would ask for a passphrase on the terminal, and the start would hang.
        SSL_CTX_set_default_passwd_cb(handle) { _, _, _, _ in -1 }
        let isRead = SSL_CTX_use_PrivateKey_file(handle, file, SSL_FILETYPE_PEM) == 1
        // A key of another kind than the certificate's is noticed only by this check.
        if isRead, SSL_CTX_check_private_key(handle) == 1 { return }

        let errors = OpenSSLErrors.take()
        if errors.contains(library: ERR_LIB_PEM, reason: PEM_R_BAD_PASSWORD_READ) {
            throw TLSError(
                "the private key is encrypted; give it without passphrase",
                context: file
            )
        }
        if isRead || errors.contains(library: ERR_LIB_X509, reason: X509_R_KEY_VALUES_MISMATCH) {
            throw TLSError(
                "the private key does not belong to the certificate in \(certificateFile)",
                context: file
            )
        }
        let reason = errors.text.map { ": \($0)" } ?? ""
        throw TLSError("cannot read the private key\(reason)", context: file)
    }

    private func loadTrust(_ trust: TLSTrust) throws(TLSError) {
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(handle) == 1 else {
                throw .taken("cannot read the trusted certificates", context: "system")
            }
        case .file(let file):
            guard SSL_CTX_load_verify_file(handle, file) == 1 else {
                throw .taken("cannot read the trusted certificates", context: file)
            }
        case .insecureForTests:
            SSL_CTX_set_verify(handle, SSL_VERIFY_NONE, nil)
            return
        }
        SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
    }

    private func text(_ time: UnsafePointer<ASN1_TIME>?) -> String {
        var fields = tm()
        guard let time, ASN1_TIME_to_tm(time, &fields) == 1,
            let civil = CivilTime(
                year: Int(fields.tm_year) + 1900,
                month: Int(fields.tm_mon) + 1,
                day: Int(fields.tm_mday),
                hour: Int(fields.tm_hour),
                minute: Int(fields.tm_min),
                second: Int(fields.tm_sec)
            )
        else { return "an unreadable time" }
        return Timestamp(civil).iso8601Seconds
    }
}

extension TLSError {
    /// What failed, with the reasons taken from OpenSSL's queue.
    fileprivate static func taken(_ message: String, context: String) -> TLSError {
        let reason = OpenSSLErrors.take().text.map { ": \($0)" } ?? ""
        return TLSError(message + reason, context: context)
    }
}

// MARK: - ALPN

/// Protocol names in the form of RFC 7301 §3.1: each after a byte with its length.
///
/// In memory of its own and not in an array, since OpenSSL is given pointers into it.
private final class ApplicationProtocols {
    let wireFormat: UnsafeBufferPointer<UInt8>

    init(_ names: [String]) {
        let bytes = names.flatMap { name in
            precondition((1...255).contains(name.utf8.count), "not a protocol name: \(name)")
            return [UInt8(name.utf8.count)] + name.utf8
        }
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = memory.initialize(from: bytes)
        wireFormat = UnsafeBufferPointer(memory)
    }

    deinit {
        wireFormat.deallocate()
    }
}

/// Picks the first of our protocols that the client named too.
private let selectApplicationProtocol:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
        UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
    ) -> Int32 = { _, selected, selectedLength, offered, offeredLength, argument in
        guard let selected, let selectedLength, let offered, let argument else {
            return SSL_TLSEXT_ERR_NOACK
        }
        let ours = Unmanaged<ApplicationProtocols>.fromOpaque(argument).takeUnretainedValue()
        var name: UnsafeMutablePointer<UInt8>?
        let result = SSL_select_next_proto(
            &name,
            selectedLength,
            ours.wireFormat.baseAddress,
            UInt32(ours.wireFormat.count),
            offered,
            offeredLength
        )
        guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        selected.pointee = UnsafePointer(name)
        return SSL_TLSEXT_ERR_OK
    }
