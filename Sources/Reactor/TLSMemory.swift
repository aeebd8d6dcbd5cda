import COpenSSLSetup
import Glibc

/// The allocator of OpenSSL's memory.
///
/// A handshake that waits for its client holds 29 KiB in three buffers, allocated between the small
/// parts that live as long as the connection. When thousands of clients reconnect at once, that
/// many handshakes wait at once, and on the heap their buffers would stay resident as holes: 43 KiB
/// a connection measured, instead of 14. So the buffers have a separate pool; everything else comes
/// from the heap.
package enum TLSMemory {
    private static let smallSize = 4 << 10
    private static let largeSize = 24 << 10
    /// The smallest allocation that uses the large blocks: OpenSSL's largest lasting object has 7.4
    /// KiB.
    private static let largeMin = 12 << 10

    /// The two buffers of exactly 4 KiB in which a handshake collects a flight.
    private static let small = TLSBlockPool(
        blockSize: smallSize,
        blocksMax: 1 << 17,
        warmMax: 64
    )
    /// The buffers for records read and written, up to 16 KiB and the overhead of encryption, and
    /// for handshake messages, for which OpenSSL allocates a third more.
    private static let large = TLSBlockPool(
        blockSize: largeSize,
        blocksMax: 1 << 16,
        warmMax: 64
    )

    /// Makes OpenSSL use the pool, in the whole process.
    ///
    /// - Returns: false when OpenSSL refuses, which changes nothing.
    @discardableResult
    package static func use() -> Bool {
        varde_openssl_use_memory(
            { TLSMemory.allocate($0) },
            { TLSMemory.reallocate($0, $1) },
            { TLSMemory.free($0) }
        ) == 1
    }

    static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        let block = pool(for: size)?.take()
        return block ?? malloc(size)
    }

    static func reallocate(
        _ pointer: UnsafeMutableRawPointer?,
        _ size: Int
    ) -> UnsafeMutableRawPointer? {
        guard let pointer else { return allocate(size) }
        guard let pool = pool(of: pointer) else { return realloc(pointer, size) }
        if size > 0, size <= pool.blockSize { return pointer }
        guard size > 0 else {
            pool.giveBack(pointer)
            return nil
        }
        guard let larger = allocate(size) else { return nil }
        larger.copyMemory(from: pointer, byteCount: pool.blockSize)
        pool.giveBack(pointer)
        return larger
    }

    static func free(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer else { return }
        if let pool = pool(of: pointer) {
            pool.giveBack(pointer)
        } else {
            Glibc.free(pointer)
        }
    }

    @inline(__always)
    private static func pool(for size: Int) -> TLSBlockPool? {
        if size < smallSize { return nil }
        if size == smallSize { return small }
        return (largeMin...largeSize).contains(size) ? large : nil
    }

    static func pool(of pointer: UnsafeMutableRawPointer) -> TLSBlockPool? {
        if let large, large.contains(pointer) { return large }
        if let small, small.contains(pointer) { return small }
        return nil
    }
}
