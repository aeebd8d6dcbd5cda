import COpenSSL

/// The creation of a session's SSL object.
extension TLSSession {
    /// Creates the SSL object of a session, with its transport.
    static func makeSSL(
        context: TLSContext,
        role: Role,
        buffers: TLSBuffers,
        ticket: TLSClientTicket?
    ) throws(TLSError) -> OpaquePointer {
        guard let ssl = SSL_new(context.handle) else {
            throw TLSError(OpenSSLErrors.take().text ?? "no memory", context: "new tls session")
        }
        guard let transport = TLSTransport.make(over: buffers) else {
            SSL_free(ssl)
            throw TLSError(OpenSSLErrors.take().text ?? "no memory", context: "new tls session")
        }
        // Takes over our one reference to the transport, as it is both the reading and the writing
        // side.
        SSL_set_bio(ssl, transport, transport)
        switch role {
        case .server:
            precondition(context.isServer, "a server session of a client context")
            SSL_set_accept_state(ssl)
        case .client(let hostName):
            precondition(!context.isServer, "a client session of a server context")
            SSL_set_connect_state(ssl)
            guard expect(hostName, of: ssl) else {
                SSL_free(ssl)
                ERR_clear_error()
                throw TLSError("not a host name: \"\(hostName)\"", context: "new tls session")
            }
            // A ticket of a TLS version or cipher that the context does not support is harmless: it
            // is not used.
            if let ticket { SSL_set_session(ssl, ticket.session) }
        }
        return ssl
    }

    /// Sets the server's name for SNI and for the check of its certificate.
    private static func expect(_ hostName: String, of ssl: OpaquePointer) -> Bool {
        guard !hostName.isEmpty, !hostName.utf8.contains(0) else { return false }
        // An IP address is matched against the certificate's addresses, and RFC 6066 §3 excludes it
        // from SNI: "Literal IPv4 and IPv6 addresses are not permitted in "HostName"."
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), hostName) == 1 { return true }
        ERR_clear_error()
        SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        return SSL_set1_host(ssl, hostName) == 1 && ssl_set_server_name(ssl, hostName) == 1
    }
}
