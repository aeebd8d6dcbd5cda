import COpenSSL

/// Session tickets (RFC 8446 §4.6.1, RFC 5077) under our own keys, which all loops and all
/// certificates of a server share: a client resumes on any loop, also after the certificates were
/// reloaded.
///
/// The server stores nothing of a session; it is all in the ticket, which the client stores. By
/// default, OpenSSL has a key for each SSL_CTX, which it never replaces.
final class TLSTickets: Sendable {
    private let ring = Locked(TLSTicketKeyRing())

    /// Makes a server's context use these keys, which it must not outlive.
    func use(in context: OpaquePointer) {
        SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
        SSL_CTX_set_tlsext_ticket_key_evp_cb(context, sealOrOpen)
        SSL_CTX_set_timeout(context, Int(TLSTicketKeyRing.period.components.seconds))
    }

    /// Returns nil when the system has no random bytes.
    fileprivate func sealingKey(now: MonotonicInstant) -> TLSTicketKey? {
        if let key = ring.withLock({ $0.sealingKey(now: now) }) { return key }
        guard let key = TLSTicketKey.random() else { return nil }
        return ring.withLock { ring in
            // Another loop may have added one meanwhile.
            if ring.needsKey(now: now) { ring.add(key, now: now) }
            return ring.sealingKey(now: now)
        }
    }

    fileprivate func openingKey(
        named name: UnsafeRawBufferPointer,
        now: MonotonicInstant
    ) -> TLSTicketKey? {
        ring.withLock { $0.openingKey(named: name, now: now) }
    }
}

extension TLSTicketKey {
    fileprivate static func random() -> TLSTicketKey? {
        withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { secret in
            defer { OPENSSL_cleanse(secret.baseAddress, secret.count) }
            let bytes = secret.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard RAND_priv_bytes(bytes, Int32(length)) == 1 else { return nil }
            return TLSTicketKey(secret: UnsafeRawBufferPointer(secret))
        }
    }

    /// Prepares OpenSSL's contexts to encrypt or decrypt a ticket, and to authenticate it.
    fileprivate func prepare(
        cipher: OpaquePointer?,
        authentication: OpaquePointer?,
        initialisationVector: UnsafePointer<UInt8>,
        isSealing: Bool
    ) -> Bool {
        let key = cipherKey.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return EVP_CipherInit_ex(
            cipher,
            EVP_aes_256_cbc(),
            nil,
            key,
            initialisationVector,
            isSealing ? 1 : 0
        ) == 1
            && evp_mac_set_hmac_sha256_key(
                authentication,
                authenticationKey.baseAddress,
                authenticationKey.count
            ) == 1
    }
}

/// The callback with which OpenSSL seals a ticket (`isSealing` 1) or opens one. Its return values
/// are defined in SSL_CTX_set_tlsext_ticket_key_cb(3).
private let sealOrOpen:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, OpaquePointer?,
        OpaquePointer?, Int32
    ) -> Int32 = { ssl, name, initialisationVector, cipher, authentication, isSealing in
        let failed: Int32 = -1
        let withoutTicket: Int32 = 0
        let resumed: Int32 = 1
        let resumedWithNewTicket: Int32 = 2

        guard let data = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0), let name,
            let initialisationVector
        else { return failed }
        let tickets = Unmanaged<TLSTickets>.fromOpaque(data).takeUnretainedValue()
        let now = MonotonicInstant.now
        if isSealing == 1 {
            let length = EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())
            guard let key = tickets.sealingKey(now: now),
                RAND_bytes(initialisationVector, length) == 1,
                key.prepare(
                    cipher: cipher,
                    authentication: authentication,
                    initialisationVector: initialisationVector,
                    isSealing: true
                )
            else { return failed }
            // The key's memory is freed with the key, which the ring may drop at any time.
            withExtendedLifetime(key) {
                UnsafeMutableRawBufferPointer(start: name, count: TLSTicketKey.nameLength)
                    .copyMemory(from: key.name)
            }
            return resumed
        }
        let found = tickets.openingKey(
            named: UnsafeRawBufferPointer(start: name, count: TLSTicketKey.nameLength),
            now: now
        )
        guard let found else { return withoutTicket }
        let isPrepared = found.prepare(
            cipher: cipher,
            authentication: authentication,
            initialisationVector: initialisationVector,
            isSealing: false
        )
        // With a new ticket, always: RFC 8446 §C.4, clients "SHOULD NOT reuse a ticket".
        return isPrepared ? resumedWithNewTicket : failed
    }
