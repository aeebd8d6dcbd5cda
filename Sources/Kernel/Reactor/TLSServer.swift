import Locking
import Timekeeping

/// TLS as listeners see it: a context for the next connection, which can be replaced while they
/// listen.
///
/// A connection keeps the context it began with, so replacing it disturbs nobody; the files of an
/// old context are forgotten with its last connection.
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

    /// For a connection that begins.
    var context: TLSContext { current.withLock { $0 } }

    /// The certificates in use, the default first.
    package var certificates: [TLSCertificate] { context.certificates }

    /// Reads all files again, for the connections to come. Blocks for as long as that takes, so not
    /// on a loop.
    ///
    /// - Throws: as `init`; everything then stays as it was.
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
