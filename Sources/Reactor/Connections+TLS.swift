import CLinux

/// TLS on connections that this side opened.
extension Connections {
    /// Starts TLS, as the client, on an established connection on which no bytes are in transit:
    /// one that `connect` made without TLS, or after a proxy's response to CONNECT. `isEstablished`
    /// is false until the handshake is complete.
    ///
    /// - Throws: when the host name is invalid. The connection stays as it is.
    package mutating func startTLS(
        _ context: TLSContext,
        hostName: String,
        ticket: TLSClientTicket? = nil,
        on id: ConnectionID
    ) throws(TLSError) {
        let index = Int(id.index)
        precondition(isEstablished(id) && (slots + index).pointee.tls == nil, "TLS on TLS")
        precondition(!hasUnflushed(id) && queuedBytes(id) == 0, "plain bytes are under way")
        attach(
            try TLSSession(
                context: context,
                role: .client(hostName: hostName),
                buffers: tlsBuffers,
                ticket: ticket
            ),
            to: id
        )
        (slots + index).pointee.tls!.pointee.startHandshake()
        transmitTLSOutput(index)
    }

    /// The data to resume the connection's TLS session; nil when the server sent none.
    package func tlsTicket(of id: ConnectionID) -> TLSClientTicket? {
        isOpen(id) ? (slots + Int(id.index)).pointee.tls?.pointee.ticket : nil
    }

    /// Whether the connection's TLS handshake took over an earlier session's secrets.
    package func isTLSResumed(_ id: ConnectionID) -> Bool {
        isOpen(id) && (slots + Int(id.index)).pointee.tls?.pointee.isResumed == true
    }
}
