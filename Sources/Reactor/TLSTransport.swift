import COpenSSL

/// The BIO through which OpenSSL reads and writes the ciphertext of a session: OpenSSL's name for a
/// byte transport, here one over the loop's `TLSBuffers`.
///
/// It holds no state of a connection: after a session has read until its input is empty, OpenSSL
/// itself keeps the beginning of an incomplete record. A write always succeeds, so OpenSSL never
/// requests another call for writing.
enum TLSTransport {
    /// One method table for the process, never freed.
    ///
    /// `nonisolated(unsafe)`: an opaque C pointer, written once here and only read by OpenSSL.
    private nonisolated(unsafe) static let method: OpaquePointer = {
        guard
            let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "loop buffers"),
            BIO_meth_set_create(method, create) == 1,
            BIO_meth_set_read_ex(method, read) == 1,
            BIO_meth_set_write_ex(method, write) == 1,
            BIO_meth_set_ctrl(method, control) == 1
        else { fatalError("no memory for OpenSSL's transport method") }
        return method
    }()

    /// Creates a BIO over `buffers`, which must outlive it: the BIO holds an unretained pointer. A
    /// session keeps a strong reference next to its SSL object and frees that object first.
    static func make(over buffers: TLSBuffers) -> OpaquePointer? {
        guard let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(buffers).toOpaque())
        return bio
    }

    private static let create: @convention(c) (OpaquePointer?) -> Int32 = { bio in
        BIO_set_init(bio, 1)
        return 1
    }

    private static let read:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<CChar>?, Int, UnsafeMutablePointer<Int>?
        ) -> Int32 = { bio, destination, size, count in
            guard let bio, let destination, let count else { return 0 }
            let taken = buffers(of: bio).takeInput(into: destination, size: size)
            count.pointee = taken
            bio_clear_retry_flags(bio)
            if taken == 0 {
                // Not the end of the stream: SSL_get_error returns SSL_ERROR_WANT_READ.
                bio_set_retry_read(bio)
                return 0
            }
            return 1
        }

    private static let write:
        @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int, UnsafeMutablePointer<Int>?) ->
            Int32 = { bio, source, size, count in
                guard let bio, let source, let count else { return 0 }
                bio_clear_retry_flags(bio)
                buffers(of: bio).appendOutput(source, count: size)
                count.pointee = size
                return 1
            }

    /// A flush succeeds, as there is nothing after the output to flush to; nothing else is offered.
    private static let control:
        @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int = {
            _,
            command,
            _,
            _ in
            command == BIO_CTRL_FLUSH ? 1 : 0
        }

    private static func buffers(of bio: OpaquePointer) -> TLSBuffers {
        guard let data = BIO_get_data(bio) else { fatalError("a transport without buffers") }
        return Unmanaged<TLSBuffers>.fromOpaque(data).takeUnretainedValue()
    }
}
