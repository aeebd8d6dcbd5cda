import COpenSSL

/// A secret under which session tickets are sealed in the manner of RFC 5077 §4: a name, a key for
/// AES-256-CBC and one for HMAC-SHA-256.
///
/// `@unchecked Sendable`: the memory is written by `init` alone. Memory of its own and not an array,
/// so that nothing of it is left behind when the key goes.
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

    /// Stands in the ticket in clear text, and tells a key from the others.
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

/// The ticket keys of a server and their lives: a key seals tickets for 12 hours, then the next one
/// does, and it opens its tickets for 12 hours more, which is how long a ticket lives.
///
/// So a stolen key tells nothing of connections that are older than a day. A value: it reads no
/// clock and makes no keys. Before `sealingKey`, the caller asks `needsKey` and adds one if so.
struct TLSTicketKeyRing {
    /// How long a key seals tickets, and how long a ticket lives.
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

    /// The key for tickets that are given out; nil when it is time for another one.
    func sealingKey(now: MonotonicInstant) -> TLSTicketKey? {
        guard let current, now < current.sealsUntil else { return nil }
        return current.key
    }

    /// The key by which a ticket that a client brings was sealed; nil when it is unknown or too old.
    func openingKey(named name: UnsafeRawBufferPointer, now: MonotonicInstant) -> TLSTicketKey? {
        for case let entry? in [current, previous] {
            if entry.key.name.elementsEqual(name), now < entry.opensUntil { return entry.key }
        }
        return nil
    }
}
