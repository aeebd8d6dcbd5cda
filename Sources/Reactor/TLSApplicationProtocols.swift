import COpenSSL

/// Protocol names in the form of RFC 7301 §3.1: each after a byte with its length.
///
/// In separate memory and not in an array, since OpenSSL holds pointers into it.
final class TLSApplicationProtocols {
    private let wireFormat: UnsafeBufferPointer<UInt8>

    /// - Parameter names: in order of preference, each of 1 to 255 bytes.
    init(_ names: [String]) {
        let bytes = names.flatMap { name in
            precondition((1...255).contains(name.utf8.count), "not a protocol name: \(name)")
            return [UInt8(name.utf8.count)] + name.utf8
        }
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = memory.initialize(from: bytes)
        wireFormat = UnsafeBufferPointer(memory)
    }

    deinit {
        wireFormat.deallocate()
    }

    /// Makes a client's context offer these.
    func offer(in context: OpaquePointer) -> Bool {
        // The only function of OpenSSL that returns 0 for success.
        SSL_CTX_set_alpn_protos(context, wireFormat.baseAddress, UInt32(wireFormat.count)) == 0
    }

    /// Makes a server's context choose among these, which it must not outlive. A client that offers
    /// only others is refused, RFC 7301 §3.2: "the server SHALL respond with a fatal
    /// "no_application_protocol" alert". One that offers none is served.
    func choose(in context: OpaquePointer) {
        SSL_CTX_set_alpn_select_cb(
            context,
            chooseApplicationProtocol,
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Returns the first of our protocols in `offered`, which also has the wire format.
    fileprivate func choice(
        among offered: UnsafePointer<UInt8>,
        length: UInt32
    ) -> UnsafeBufferPointer<UInt8>? {
        var name: UnsafeMutablePointer<UInt8>?
        var nameLength: UInt8 = 0
        let result = SSL_select_next_proto(
            &name,
            &nameLength,
            wireFormat.baseAddress,
            UInt32(wireFormat.count),
            offered,
            length
        )
        guard result == OPENSSL_NPN_NEGOTIATED else { return nil }
        return UnsafeBufferPointer(start: name, count: Int(nameLength))
    }
}

private let chooseApplicationProtocol:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
        UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
    ) -> Int32 = { _, chosen, chosenLength, offered, offeredLength, argument in
        guard let chosen, let chosenLength, let offered, let argument else {
            return SSL_TLSEXT_ERR_NOACK
        }
        let ours = Unmanaged<TLSApplicationProtocols>.fromOpaque(argument).takeUnretainedValue()
        guard let choice = ours.choice(among: offered, length: offeredLength) else {
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        chosen.pointee = choice.baseAddress
        chosenLength.pointee = UInt8(choice.count)
        return SSL_TLSEXT_ERR_OK
    }
