import Wire

/// One offer of permessage-deflate by a client (RFC 7692 §7.1).
///
/// The client's own direction is always offered free: it says that it can do without context
/// takeover and with a smaller window, and leaves both to the server.
package struct CompressionOffer: Hashable, Sendable {
    /// `server_no_context_takeover`.
    package var asksForNoTakeover: Bool
    /// `server_max_window_bits`.
    package var windowBitsMax: Int?

    init(asksForNoTakeover: Bool = false, windowBitsMax: Int? = nil) {
        self.asksForNoTakeover = asksForNoTakeover
        self.windowBitsMax = windowBitsMax
    }

    /// As an element of Sec-WebSocket-Extensions.
    package var text: String {
        var text = "permessage-deflate; client_no_context_takeover; client_max_window_bits"
        if asksForNoTakeover { text += "; server_no_context_takeover" }
        if let windowBitsMax { text += "; server_max_window_bits=\(windowBitsMax)" }
        return text
    }

    /// The same for a client of our own. It offers to do without takeover when it means to; here it
    /// means to take over what it may.
    package var settings: DeflateSettings {
        DeflateSettings(
            server: DeflateWindow(
                bits: windowBitsMax ?? DeflateWindow.bitsDefault,
                isTakenOver: !asksForNoTakeover
            ),
            client: DeflateWindow(isTakenOver: true),
            // So that messages of 16 bytes go compressed too.
            messageLengthMin: 0
        )
    }
}
