import CLinux

/// Sends on many sockets with one system call, by io_uring: a queue in memory that the hub and the
/// kernel share.
///
/// The kernel completes all sends before the call returns. Nothing is sent in the background, and the
/// results are those of `send`.
struct SendRing: ~Copyable {
    /// The maximum number of sends in one call: those of one turn.
    static let countMax = 1024

    private let ring: UnsafeMutablePointer<varde_send_ring>
    /// By the number of the send: its result.
    private let results: UnsafeMutablePointer<Int32>
    private var count = 0

    /// Nil if the kernel has no io_uring, or does not permit it.
    init?() {
        guard let ring = varde_send_ring_open(UInt32(SendRing.countMax)) else { return nil }
        self.ring = ring
        results = .allocate(capacity: SendRing.countMax)
    }

    deinit {
        varde_send_ring_close(ring)
        results.deallocate()
    }

    /// Adds a send. Its number is the count of those before it. The bytes must stay until `submit`.
    mutating func add(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        precondition(count < SendRing.countMax)
        varde_send_ring_add(ring, descriptor, bytes.baseAddress, UInt32(bytes.count))
        results[count] = .min
        count += 1
    }

    /// Sends everything that was added. Returns false if the kernel refused some of it: the ring
    /// cannot be used again then.
    mutating func submit() -> Bool {
        count = 0
        return varde_send_ring_submit(ring, results) == 0
    }

    /// The result of a send of the last `submit`: the number of bytes, or a negative errno. Nil if the
    /// kernel has refused it.
    func result(of number: Int) -> Int? {
        results[number] == .min ? nil : Int(results[number])
    }
}
