import COpenSSL

/// One TLS connection, as bytes in and bytes out.
///
/// It never uses a socket. `receive` decrypts ciphertext from the peer; `send` encrypts plaintext.
/// All output for the peer (records, handshake flights, alerts, key updates) is appended to the
/// output of the loop's `TLSBuffers`.
///
/// States: handshaking → open → closedByPeer, and failed from each of them. Inputs:
/// `startHandshake`, `receive`, `send`, `close`, `endOfStream`.
///
/// The caller, after each call: takes `buffers.output` away (to the socket, or to the connection's
/// queue) and clears it, before another session of the same loop is called. On `failed` it still
/// sends the output, which may contain the alert with the reason for the peer, and closes the
/// connection.
///
/// It does not: time the handshake out, limit the connections, or renegotiate.
///
/// Belongs to the loop of its buffers. RFC 8446 (TLS 1.3), RFC 5246 (TLS 1.2).
package struct TLSSession: ~Copyable {
    /// The side of the connection.
    package enum Role: Sendable {
        case server
        /// `hostName` is the name or the IP address that the server's certificate must have.
        case client(hostName: String)
    }

    /// The state of a connection. Each state names those that may follow it.
    package enum State: Equatable, Sendable {
        /// → open, failed
        case handshaking
        /// → closedByPeer, failed
        case open
        /// The peer sent close_notify: it sends nothing further, and the stream is complete. We may
        /// still send.
        /// → failed
        case closedByPeer
        /// Nothing can be sent or received.
        case failed(TLSError)
    }

    /// The result of one call of `receive`.
    package struct Received: Equatable, Sendable {
        /// The number of bytes of data at the start of the plaintext buffer, also when the state is
        /// failed: data before the failure is authentic.
        package let plaintextCount: Int
        package let state: State
    }

    /// The number of bytes by which the plaintext buffer of `receive` must be larger than its
    /// ciphertext: OpenSSL may already hold a record except for its last byte, which then yields up
    /// to 16 KiB (RFC 8446 §5.1); and a call that finds no room left cannot find out that nothing
    /// is left.
    package static let plaintextSlack = 16 * 1024 + 64

    /// The largest plaintext of one record, RFC 8446 §5.1.
    static let recordPlaintextLengthMax = 16 * 1024

    /// A TLS 1.3 key is replaced after this many records: the limit of RFC 8446 §5.5 for AES-GCM is
    /// about 24 million, which a busy stream reaches within days, and OpenSSL does not keep count.
    static let recordsPerKeyMax = 1 << 24

    package private(set) var state = State.handshaking
    private var hasSentClose = false
    var recordsUntilKeyUpdate = TLSSession.recordsPerKeyMax

    /// The OpenSSL object, an `SSL`.
    let ssl: OpaquePointer
    private let context: TLSContext
    private let buffers: TLSBuffers

    /// - Parameter ticket: of an earlier session with the same server under the same context; the
    ///   server may accept it, and the handshake is then without certificates.
    /// - Throws: when memory is short, or the host name is invalid.
    package init(
        context: TLSContext,
        role: Role,
        buffers: TLSBuffers,
        ticket: TLSClientTicket? = nil
    ) throws(TLSError) {
        ERR_clear_error()
        self.ssl = try TLSSession.makeSSL(
            context: context,
            role: role,
            buffers: buffers,
            ticket: ticket
        )
        self.context = context
        self.buffers = buffers
    }

    deinit {
        // Also frees the BIO, while `buffers`, to which the BIO points, is still alive.
        SSL_free(ssl)
    }

    /// False again once the session has failed.
    package var isHandshakeComplete: Bool { SSL_is_init_finished(ssl) == 1 }

    /// Whether the handshake took over an earlier session's secrets, by ticket.
    package var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// The data to resume this session as a client; nil until the server has sent a ticket. With
    /// TLS 1.3 it follows the handshake, usually with the first data (RFC 8446 §4.6.1).
    package var ticket: TLSClientTicket? { TLSClientTicket(of: ssl) }

    /// The version, such as "TLSv1.3"; during the handshake the proposed version.
    package var protocolVersion: String { String(cString: SSL_get_version(ssl)) }

    /// The protocol agreed upon by ALPN (RFC 7301); nil when the peer named none.
    package var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name, length > 0 else { return nil }
        let bytes = UnsafeBufferPointer(start: name, count: Int(length))
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - Inputs

    /// Appends the client's first flight. Does nothing on a server.
    package mutating func startHandshake() {
        guard case .handshaking = state else { return }
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result != 1, SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ {
            fail(result)
        }
    }

    /// Consumes all of `ciphertext` and decrypts the records that it completes.
    ///
    /// - Parameter plaintext: at least `plaintextSlack` bytes larger than `ciphertext`. The two may
    ///   not overlap.
    package mutating func receive(
        _ ciphertext: UnsafeRawBufferPointer,
        plaintext: UnsafeMutableRawBufferPointer
    ) -> Received {
        precondition(
            plaintext.count >= ciphertext.count + TLSSession.plaintextSlack,
            "plaintext buffer of \(plaintext.count) bytes for \(ciphertext.count) of ciphertext"
        )
        switch state {
        case .closedByPeer, .failed:
            // RFC 8446 §6.1: "Any data received after a closure alert has been received MUST be
            // ignored."
            return Received(plaintextCount: 0, state: state)
        case .handshaking, .open:
            break
        }
        ERR_clear_error()
        let count = buffers.withInput(ciphertext) { readAll(into: plaintext) }
        if case .handshaking = state, isHandshakeComplete {
            state = .open
        }
        return Received(plaintextCount: count, state: state)
    }

    /// Appends `plaintext` as records of up to 16 KiB. Join the output of one turn beforehand: each
    /// call makes at least one record, which costs 22 bytes and most of a microsecond.
    ///
    /// - Returns: the error if it could not be sent; the session has then failed.
    package mutating func send(_ plaintext: UnsafeRawBufferPointer) -> TLSError? {
        switch state {
        case .failed(let error):
            return error
        case .handshaking:
            return TLSError("data before the handshake is complete", context: "tls send")
        case .open, .closedByPeer:
            if hasSentClose {
                return TLSError("data after close_notify", context: "tls send")
            }
        }
        guard let start = plaintext.baseAddress, !plaintext.isEmpty else { return nil }
        ERR_clear_error()
        updateKeyIfUsedUp(byteCount: plaintext.count)
        var written = 0
        let result = SSL_write_ex(ssl, start, plaintext.count, &written)
        guard result == 1 else {
            return fail(result)
        }
        // Without SSL_MODE_ENABLE_PARTIAL_WRITE, success means all of it.
        assert(written == plaintext.count)
        return nil
    }

    /// Appends close_notify once: this side sends nothing further. Before the handshake is complete
    /// there is nothing to close, and the caller closes the connection.
    package mutating func close() {
        switch state {
        case .handshaking, .failed:
            return
        case .open, .closedByPeer:
            guard !hasSentClose else { return }
            hasSentClose = true
            ERR_clear_error()
            let result = SSL_shutdown(ssl)
            // 0: ours is sent, the peer's has not arrived yet.
            if result < 0 { fail(result) }
        }
    }

    /// The meaning of the end of the TCP stream: nil after close_notify, else an error, because any
    /// host on the path can end a stream early (RFC 8446 §6.1, truncation).
    package func endOfStream() -> TLSError? {
        switch state {
        case .handshaking:
            return TLSError("the peer ended the connection", context: "tls handshake")
        case .open:
            return TLSError("the stream ended without close_notify", context: "tls receive")
        case .closedByPeer:
            return nil
        case .failed(let error):
            return error
        }
    }
}

// MARK: - Private

extension TLSSession {
    /// Reads until OpenSSL needs more ciphertext, the peer has closed, or the session has failed.
    private mutating func readAll(into plaintext: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while true {
            var length = 0
            let result = SSL_read_ex(
                ssl,
                plaintext.baseAddress! + count,
                plaintext.count - count,
                &length
            )
            guard result == 1 else {
                end(result)
                return count
            }
            state = .open
            count += length
            assert(count < plaintext.count, "the slack is too small to drain the input")
        }
    }

    /// Handles a read without a result.
    private mutating func end(_ result: Int32) {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ:
            assert(buffers.input.isEmpty, "ciphertext was left unread")
        case SSL_ERROR_ZERO_RETURN:
            state = .closedByPeer
        default:
            fail(result)
        }
    }

    /// Counts the records that `byteCount` bytes will take, and replaces the sending key in time.
    private mutating func updateKeyIfUsedUp(byteCount: Int) {
        recordsUntilKeyUpdate -= 1 + byteCount / TLSSession.recordPlaintextLengthMax
        guard recordsUntilKeyUpdate <= 0, SSL_version(ssl) == TLS1_3_VERSION else { return }
        recordsUntilKeyUpdate = TLSSession.recordsPerKeyMax
        // The update goes out before the record of the SSL_write_ex that follows.
        _ = SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED)
    }

    @discardableResult
    private mutating func fail(_ result: Int32) -> TLSError {
        let step = state == .handshaking ? "tls handshake" : "tls connection"
        let code = SSL_get_error(ssl, result)
        let errors = OpenSSLErrors.take()
        let error = TLSError(describe(errors) ?? "OpenSSL result \(code)", context: step)
        state = .failed(error)
        return error
    }

    private func describe(_ errors: OpenSSLErrors) -> String? {
        if errors.contains(library: ERR_LIB_SSL, reason: SSL_R_HTTP_REQUEST) {
            return "the peer speaks plain HTTP on a TLS port"
        }
        let verification = SSL_get_verify_result(ssl)
        if verification != Int(X509_V_OK), let text = errors.text {
            return "\(text): \(String(cString: X509_verify_cert_error_string(verification)))"
        }
        return errors.text
    }
}
