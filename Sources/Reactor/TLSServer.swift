/// TLS for listeners: a context for the next connection, which can be replaced while they listen.
///
/// A connection keeps its first context, so replacing it disturbs no connection; an old context is
/// freed with its last connection.
package final class TLSServer: Sendable {
    private let settings: TLSServerSettings
    private let tickets = TLSTickets()
    private let current: Locked<TLSContext>

    /// Reads all files.
    ///
    /// - Throws: an error that names the file, when one cannot be read, a key is not its
    ///   certificate's, or a certificate is not valid at `now`.
    package init(_ settings: TLSServerSettings, now: Timestamp) throws(TLSError) {
        self.settings = settings
        current = Locked(try TLSContext(server: settings, tickets: tickets, now: now))
    }

    /// The context of new connections.
    var context: TLSContext { current.withLock { $0 } }

    /// The certificates in use, the default first.
    package var certificates: [TLSCertificate] { context.certificates }

    /// Reads all files again, for future connections. Blocks during that time, so not on a loop.
    ///
    /// - Throws: as `init`; nothing has changed then.
    package func reload(now: Timestamp) throws(TLSError) {
        let next = try TLSContext(server: settings, tickets: tickets, now: now)
        let previous = current.withLock { context in
            defer { context = next }
            return context
        }
        // Freed here and not under the lock, unless a connection still has it.
        withExtendedLifetime(previous) {}
    }
}
