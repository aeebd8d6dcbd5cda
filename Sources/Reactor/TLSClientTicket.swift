import COpenSSL

/// The client's data of a TLS session to resume it later: the secrets, and the server's ticket.
///
/// It includes the server's verified identity, which is not checked again; use it only for the same
/// host name under the same context. RFC 8446 §C.4: "Clients SHOULD NOT reuse a ticket for multiple
/// connections."
///
/// `@unchecked Sendable`: the session is never changed, and its reference count is atomic.
package final class TLSClientTicket: @unchecked Sendable {
    let session: OpaquePointer

    /// A copy, because OpenSSL invalidates the session of a connection that ends without
    /// close_notify.
    init?(of ssl: OpaquePointer) {
        guard let session = SSL_get_session(ssl), SSL_SESSION_is_resumable(session) == 1,
            let copy = SSL_SESSION_dup(session)
        else { return nil }
        self.session = copy
    }

    deinit {
        SSL_SESSION_free(session)
    }

    /// Whether the server would receive the same ticket. A resumed session keeps the ticket with
    /// which it was resumed, unless the server sends another.
    package func isSame(as other: TLSClientTicket) -> Bool {
        bytes == other.bytes
    }

    private var bytes: [UInt8] {
        var start: UnsafePointer<UInt8>?
        var length = 0
        SSL_SESSION_get0_ticket(session, &start, &length)
        guard let start else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: length))
    }
}
