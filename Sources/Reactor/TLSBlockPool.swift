import Glibc

/// Blocks of one size in a separate address range, for short-lived buffers between small long-lived
/// allocations.
///
/// On the heap such buffers leave holes, which no allocator returns to the system. Here each block
/// has its own pages: a few freed ones stay warm for reuse, the pages of all others return to the
/// system.
final class TLSBlockPool: Sendable {
    let blockSize: Int
    private let start: UInt
    private let length: UInt
    private let state: Locked<State>

    private struct State {
        /// Blocks ever used: the first ones of the range.
        var usedCount = 0
        let blocksMax: Int
        let warmMax: Int
        /// Free blocks, by their places in the range.
        var warm: [UInt32] = []
        var cold: [UInt32] = []
    }

    /// Returns nil when the system cannot reserve the range.
    ///
    /// - Parameters:
    ///   - blockSize: a multiple of the page size.
    ///   - blocksMax: only addresses are reserved for these, no memory.
    ///   - warmMax: free blocks that keep their pages.
    init?(blockSize: Int, blocksMax: Int, warmMax: Int) {
        precondition(blockSize > 0 && blockSize % Int(sysconf(Int32(_SC_PAGESIZE))) == 0)
        precondition(blocksMax > 0 && blocksMax <= Int(UInt32.max) && warmMax >= 0)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let range = mmap(nil, blockSize * blocksMax, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let range, range != MAP_FAILED else { return nil }
        self.blockSize = blockSize
        start = UInt(bitPattern: range)
        length = UInt(blockSize * blocksMax)
        state = Locked(State(blocksMax: blocksMax, warmMax: warmMax))
    }

    deinit {
        munmap(UnsafeMutableRawPointer(bitPattern: start), Int(length))
    }

    func contains(_ pointer: UnsafeMutableRawPointer) -> Bool {
        UInt(bitPattern: pointer) &- start < length
    }

    /// Returns a block of `blockSize` bytes with arbitrary content; nil when all are in use.
    func take() -> UnsafeMutableRawPointer? {
        let place = state.withLock { state -> UInt32? in
            if let place = state.warm.popLast() ?? state.cold.popLast() { return place }
            guard state.usedCount < state.blocksMax else { return nil }
            defer { state.usedCount += 1 }
            return UInt32(state.usedCount)
        }
        return place.flatMap {
            UnsafeMutableRawPointer(bitPattern: start + UInt($0) * UInt(blockSize))
        }
    }

    func giveBack(_ block: UnsafeMutableRawPointer) {
        precondition(contains(block))
        let place = UInt32((UInt(bitPattern: block) - start) / UInt(blockSize))
        let isKept = state.withLock { state in
            guard state.warm.count < state.warmMax else { return false }
            state.warm.append(place)
            return true
        }
        if isKept { return }
        // Until it is on the list no other thread can use the block, so no lock is held meanwhile.
        madvise(block, blockSize, Int32(MADV_DONTNEED))
        state.withLock { $0.cold.append(place) }
    }
}
