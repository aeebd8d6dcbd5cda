import COpenSSL

/// Gives a session the SSL_CTX with the certificate for the name that its client requests, during
/// the handshake.
///
/// Belongs to a `TLSContext`, which keeps the contexts alive, and is constant.
final class TLSNamedContexts {
    private let names: TLSServerNames
    private let handles: [TLSContextHandle]

    init(names: TLSServerNames, handles: [TLSContextHandle]) {
        self.names = names
        self.handles = handles
    }

    /// Makes the default context choose among these, which it must not outlive.
    func choose(in context: OpaquePointer) {
        ssl_ctx_set_server_name_callback(
            context,
            chooseContext,
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    fileprivate func context(for name: String) -> OpaquePointer? {
        names.place(of: name).map { handles[$0].pointer }
    }
}

/// A name without a certificate is not refused: the client checks the certificate that it receives,
/// and may accept it for an address or an alias. RFC 6066 §3 allows both.
private let chooseContext:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int32>?, UnsafeMutableRawPointer?) ->
        Int32 = { ssl, _, argument in
            guard let argument, let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else {
                return SSL_TLSEXT_ERR_NOACK
            }
            let contexts = Unmanaged<TLSNamedContexts>.fromOpaque(argument).takeUnretainedValue()
            guard let context = contexts.context(for: String(cString: name)) else {
                return SSL_TLSEXT_ERR_NOACK
            }
            guard SSL_set_SSL_CTX(ssl, context) != nil else { return SSL_TLSEXT_ERR_ALERT_FATAL }
            return SSL_TLSEXT_ERR_OK
        }
