import COpenSSL
import TLSTesting

/// The TLS of a test server: OpenSSL as it is, so that it can do what no server of ours does.
///
/// `@unchecked Sendable`: OpenSSL locks an `SSL_CTX` itself.
final class ServerTLS: @unchecked Sendable {
    let context: OpaquePointer
    let identity: TLSTestIdentity

    init(_ identity: TLSTestIdentity, versionMax: Int32 = TLS1_3_VERSION) throws {
        self.identity = identity
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw SystemTestError(code: 0) }
        self.context = context
        if versionMax < TLS1_2_VERSION {
            SSL_CTX_set_security_level(context, 0)
            guard SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0") == 1 else {
                throw SystemTestError(code: 0)
            }
        }
        guard ssl_ctx_set_min_proto_version(context, min(versionMax, TLS1_2_VERSION)) == 1,
            ssl_ctx_set_max_proto_version(context, versionMax) == 1,
            SSL_CTX_use_certificate_chain_file(context, identity.certificateFile) == 1,
            SSL_CTX_use_PrivateKey_file(context, identity.keyFile, SSL_FILETYPE_PEM) == 1
        else { throw SystemTestError(code: 0) }
    }

    deinit {
        SSL_CTX_free(context)
    }

    /// Sends no tickets from here on.
    func stopTickets() {
        SSL_CTX_set_num_tickets(context, 0)
    }
}
