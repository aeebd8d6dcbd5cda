import COpenSSL

/// The supported versions of TLS; older ones are refused (RFC 8996).
package enum TLSVersion: Comparable, Sendable {
    case tls12
    case tls13
}

/// The certificates that a client trusts.
package enum TLSTrust: Sendable {
    /// The certificate authorities that the system trusts.
    case system
    /// Only the certificates in a PEM file.
    case file(String)
    /// All: neither the certificate nor the host name is checked. For tests on loopback.
    case insecureForTests
}

/// Whether a server requests certificates of its clients. The authorities are a PEM file; clients
/// whose certificate no authority in it has issued are refused.
package enum TLSClientCertificates: Equatable, Sendable {
    case none
    /// A client without a certificate is also served.
    case optional(authorities: String)
    case required(authorities: String)
}

/// The settings of a server.
package struct TLSServerSettings: Equatable, Sendable {
    /// The first is for clients that request a name without a certificate, or no name.
    package var certificates: [TLSCertificateFiles]
    package var clientCertificates = TLSClientCertificates.none
    /// The protocols offered, in order of preference. A client that offers only others is refused
    /// (RFC 7301 §3.2); one that offers none is served.
    package var applicationProtocols = ["http/1.1"]
    package var versions = TLSVersion.tls12 ... .tls13

    package init(certificates: [TLSCertificateFiles]) {
        precondition(!certificates.isEmpty, "a server without a certificate")
        self.certificates = certificates
    }
}

/// The shared state of all TLS sessions of one server, or of one client: the certificates, the
/// keys, and the accepted parameters.
///
/// `@unchecked Sendable`: OpenSSL locks an `SSL_CTX` internally, and it is not changed here after
/// `init`; sessions of any loop may be created from it concurrently.
package final class TLSContext: @unchecked Sendable {
    let isServer: Bool
    /// A server's certificates, the default first.
    package let certificates: [TLSCertificate]
    /// One for each certificate.
    private let handles: [TLSContextHandle]
    private let applicationProtocols: TLSApplicationProtocols
    private let namedContexts: TLSNamedContexts?
    private let tickets: TLSTickets?

    /// The SSL_CTX with which a session begins.
    var handle: OpaquePointer { handles[0].pointer }

    /// A server's context.
    ///
    /// - Throws: an error that names the file, when one cannot be read, a key is not its
    ///   certificate's, a certificate is not valid at `now`, or can never be chosen.
    init(
        server settings: TLSServerSettings,
        tickets: TLSTickets,
        now: Timestamp
    ) throws(TLSError) {
        let protocols = TLSApplicationProtocols(settings.applicationProtocols)
        let sessionContext = TLSContext.sessionContext(settings.clientCertificates)
        var handles: [TLSContextHandle] = []
        var certificates: [TLSCertificate] = []
        for files in settings.certificates {
            let handle = try TLSContextHandle(TLS_server_method(), versions: settings.versions)
            let certificate = try handle.load(files)
            try certificate.checkValidity(now: now)
            guard handles.isEmpty || !certificate.names.isEmpty else {
                throw TLSError(
                    "the certificate names no host to choose it by",
                    context: files.certificate
                )
            }
            try handle.setServerPreferences()
            try handle.expect(settings.clientCertificates)
            protocols.choose(in: handle.pointer)
            tickets.use(in: handle.pointer)
            SSL_CTX_set_session_id_context(
                handle.pointer,
                sessionContext,
                UInt32(sessionContext.count)
            )
            handles.append(handle)
            certificates.append(certificate)
        }
        let namedContexts = TLSNamedContexts(
            names: TLSServerNames(certificates.map(\.names)),
            handles: handles
        )
        namedContexts.choose(in: handles[0].pointer)
        isServer = true
        self.certificates = certificates
        self.handles = handles
        applicationProtocols = protocols
        self.namedContexts = namedContexts
        self.tickets = tickets
    }

    /// A client's context.
    ///
    /// - Throws: an error that names the file of trusted certificates, when it cannot be read.
    package init(
        clientTrusting trust: TLSTrust,
        alpn: [String] = ["http/1.1"],
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    ) throws(TLSError) {
        let handle = try TLSContextHandle(TLS_client_method(), versions: versions)
        let protocols = TLSApplicationProtocols(alpn)
        try handle.trust(trust)
        guard protocols.offer(in: handle.pointer) else {
            throw .taken("not protocol names: \(alpn)", context: "tls configuration")
        }
        isServer = false
        certificates = []
        handles = [handle]
        applicationProtocols = protocols
        namedContexts = nil
        tickets = nil
    }

    /// The context in which a ticket must have been issued to be accepted.
    ///
    /// A resumed session keeps the verified identity of the client. Where clients have
    /// certificates, that must not outlive the authorities that verified it: each loading has a new
    /// context, so every client presents its certificate again after one.
    private static func sessionContext(_ certificates: TLSClientCertificates) -> [UInt8] {
        switch certificates {
        case .none: Array("varde".utf8)
        case .optional, .required:
            (0..<Int(SSL_MAX_SID_CTX_LENGTH)).map { _ in UInt8.random(in: .min ... .max) }
        }
    }
}
