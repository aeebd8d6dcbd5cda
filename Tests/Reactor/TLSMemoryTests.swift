import COpenSSL
import Expectations
import Glibc

@testable import Reactor

@Suite("TLS memory: blocks apart from the heap", .timeLimit(.minutes(10)))
struct TLSMemoryTests {
    private static let pageSize = 4096

    // MARK: - The pool

    @Test func blocksAreDistinctAndWithinTheRange() throws {
        let pool = try pool(blocksMax: 3, warmMax: 3)
        let blocks = (0..<3).compactMap { _ in pool.take() }
        expectEqual(Set(blocks).count, 3)
        for block in blocks {
            expect(pool.contains(block))
            expect(pool.contains(block + TLSMemoryTests.pageSize - 1))
        }
        let addresses = blocks.map { UInt(bitPattern: $0) }.sorted()
        expectEqual(addresses[1] - addresses[0], UInt(TLSMemoryTests.pageSize))
        expect(!pool.contains(UnsafeMutableRawPointer(bitPattern: addresses[0] - 1)!))
        let end = UnsafeMutableRawPointer(bitPattern: addresses[2])! + TLSMemoryTests.pageSize
        expect(!pool.contains(end))
    }

    @Test func poolThatIsUsedUpGivesNothingUntilABlockComesBack() throws {
        let pool = try pool(blocksMax: 2, warmMax: 0)
        let first = try require(pool.take())
        _ = try require(pool.take())
        expectNil(pool.take())
        pool.giveBack(first)
        expectEqual(pool.take(), first)
        expectNil(pool.take())
    }

    /// Linux gives zeros for a page that it took back: that is how it shows.
    @Test func pagesOfABlockReturnToTheSystemUnlessItIsKeptWarm() throws {
        let pool = try pool(blocksMax: 2, warmMax: 1)
        let blocks = [try require(pool.take()), try require(pool.take())]
        for block in blocks { block.storeBytes(of: 7, as: UInt8.self) }
        pool.giveBack(blocks[0])
        pool.giveBack(blocks[1])
        expectEqual(pool.take(), blocks[0], "the warm one first")
        expectEqual(blocks[0].load(as: UInt8.self), 7)
        expectEqual(pool.take(), blocks[1])
        expectEqual(blocks[1].load(as: UInt8.self), 0)
    }

    @Test func rangeThatTheSystemDoesNotHaveIsRefused() {
        expectNil(TLSBlockPool(blockSize: 1 << 40, blocksMax: 1 << 16, warmMax: 0))
    }

    // MARK: - OpenSSL's functions

    @Test(arguments: [0, 1, 4095, 4096, 4097, 12_287, 12_288, 16_384, 24_576, 24_577, 100_000])
    func memoryOfEverySizeHoldsItsBytes(size: Int) throws {
        let first = try require(TLSMemory.allocate(size))
        let second = try require(TLSMemory.allocate(size))
        memset(first, 1, size)
        memset(second, 2, size)
        expect(bytes(first, size).allSatisfy { $0 == 1 })
        TLSMemory.free(first)
        expect(bytes(second, size).allSatisfy { $0 == 2 })
        TLSMemory.free(second)
    }

    @Test(arguments: [1, 4096, 5000, 16_384, 24_576, 30_000], [1, 4096, 16_384, 21_848, 60_000])
    func bytesMoveAlongToAnotherSize(size: Int, other: Int) throws {
        let memory = try require(TLSMemory.reallocate(nil, size))
        for index in 0..<size {
            memory.storeBytes(
                of: UInt8(truncatingIfNeeded: index),
                toByteOffset: index,
                as: UInt8.self
            )
        }
        let moved = try require(TLSMemory.reallocate(memory, other))
        let kept = min(size, other)
        expect(bytes(moved, kept).enumerated().allSatisfy { $1 == UInt8(truncatingIfNeeded: $0) })
        memset(moved, 3, other)
        TLSMemory.free(moved)
    }

    @Test func nothingIsFreedAsNothing() throws {
        TLSMemory.free(nil)
        let block = try require(TLSMemory.allocate(16_384))
        expectNil(TLSMemory.reallocate(block, 0))
    }

    /// Although OpenSSL was at work before: its setup has allocated, and so have other tests.
    @Test func opensslTakesItsBuffersFromThePool() throws {
        expect(TLSMemory.use())
        let block = try require(CRYPTO_malloc(16_384, #file, 1))
        expect(TLSMemory.pool(of: block) != nil)
        CRYPTO_free(block, #file, 1)
    }

    private func pool(blocksMax: Int, warmMax: Int) throws -> TLSBlockPool {
        try require(
            TLSBlockPool(
                blockSize: TLSMemoryTests.pageSize,
                blocksMax: blocksMax,
                warmMax: warmMax
            )
        )
    }

    private func bytes(_ start: UnsafeMutableRawPointer, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: count)
    }
}
