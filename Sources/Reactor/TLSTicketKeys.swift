import COpenSSL

/// A secret that seals session tickets in the manner of RFC 5077 §4: a name, a key for AES-256-CBC
/// and one for HMAC-SHA-256.
///
/// `@unchecked Sendable`: only `init` writes the memory. Separate memory and not an array, so that
/// nothing of it is left when the key is freed.
final class TLSTicketKey: @unchecked Sendable {
    static let nameLength = 16
    static let cipherKeyLength = 32
    static let authenticationKeyLength = 32
    static let length = nameLength + cipherKeyLength + authenticationKeyLength

    private let memory: UnsafeMutableRawBufferPointer

    /// - Parameter secret: `length` random bytes.
    init(secret: UnsafeRawBufferPointer) {
        precondition(secret.count == TLSTicketKey.length)
        memory = .allocate(byteCount: TLSTicketKey.length, alignment: 16)
        memory.copyMemory(from: secret)
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    /// The key's identifier, in clear text in the ticket.
    var name: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[..<TLSTicketKey.nameLength])
    }

    var cipherKey: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: memory[TLSTicketKey.nameLength...].prefix(TLSTicketKey.cipherKeyLength)
        )
    }

    var authenticationKey: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory.suffix(TLSTicketKey.authenticationKeyLength))
    }
}

/// The ticket keys of a server and their lifetimes: a key seals tickets for 12 hours, then the next
/// one does, and it opens its tickets for 12 hours more, which is the lifetime of a ticket.
///
/// A stolen key thus reveals nothing about connections that are older than a day. A value: it reads
/// no clock and creates no keys. Before `sealingKey`, the caller checks `needsKey` and adds one if
/// so.
struct TLSTicketKeyRing {
    /// The time that a key seals tickets, and the lifetime of a ticket.
    static let period = Duration.seconds(12 * 3600)

    private struct Entry {
        let key: TLSTicketKey
        let start: MonotonicInstant

        var sealsUntil: MonotonicInstant { start + TLSTicketKeyRing.period }
        var opensUntil: MonotonicInstant { sealsUntil + TLSTicketKeyRing.period }
    }

    private var current: Entry?
    private var previous: Entry?

    func needsKey(now: MonotonicInstant) -> Bool { sealingKey(now: now) == nil }

    mutating func add(_ key: TLSTicketKey, now: MonotonicInstant) {
        previous = current
        current = Entry(key: key, start: now)
    }

    /// The key for new tickets; nil when it is time for another one.
    func sealingKey(now: MonotonicInstant) -> TLSTicketKey? {
        guard let current, now < current.sealsUntil else { return nil }
        return current.key
    }

    /// The key that sealed a client's ticket; nil when it is unknown or too old.
    func openingKey(named name: UnsafeRawBufferPointer, now: MonotonicInstant) -> TLSTicketKey? {
        for case let entry? in [current, previous] {
            if entry.key.name.elementsEqual(name), now < entry.opensUntil { return entry.key }
        }
        return nil
    }
}
