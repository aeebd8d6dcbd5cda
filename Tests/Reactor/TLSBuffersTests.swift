import Expectations

@testable import Reactor

@Suite("TLS buffers of a loop", .timeLimit(.minutes(10)))
struct TLSBuffersTests {
    @Test func outputGrowsAndKeepsItsBytes() {
        let buffers = TLSBuffers()
        let bytes = patternedBytes(TLSBuffers.outputSizeInitial)
        append(bytes, to: buffers)
        expectEqual(Array(buffers.output), bytes)
        append([1], to: buffers)
        append(bytes + bytes + bytes, to: buffers)
        expectEqual(Array(buffers.output), bytes + [1] + bytes + bytes + bytes)
    }

    @Test func clearedOutputIsEmpty() {
        let buffers = TLSBuffers()
        append([1, 2, 3], to: buffers)
        buffers.clearOutput()
        expect(buffers.output.isEmpty)
        append([4], to: buffers)
        expectEqual(Array(buffers.output), [4])
    }

    @Test func memoryOfABurstIsGivenBack() {
        let buffers = TLSBuffers()
        append(patternedBytes(TLSBuffers.outputSizeKept), to: buffers)
        buffers.clearOutput()
        expectEqual(buffers.outputSize, TLSBuffers.outputSizeKept)
        append(patternedBytes(TLSBuffers.outputSizeKept + 1), to: buffers)
        expect(buffers.outputSize > TLSBuffers.outputSizeKept)
        buffers.clearOutput()
        expectEqual(buffers.outputSize, TLSBuffers.outputSizeInitial)
        append([1, 2], to: buffers)
        expectEqual(Array(buffers.output), [1, 2])
    }

    @Test func inputIsTakenInOrderAndDroppedAfterTheTurn() {
        let buffers = TLSBuffers()
        let bytes: [UInt8] = [1, 2, 3, 4, 5]
        var taken: [[UInt8]] = []
        bytes.withUnsafeBytes { input in
            buffers.withInput(input) {
                for size in [2, 1] { taken.append(take(size, from: buffers)) }
            }
        }
        expectEqual(taken, [[1, 2], [3]])
        expect(buffers.input.isEmpty)
        expect(take(1, from: buffers).isEmpty)
    }

    @Test func takingMoreThanThereIsTakesTheRest() {
        let buffers = TLSBuffers()
        let bytes: [UInt8] = [1, 2, 3]
        var taken: [UInt8] = []
        bytes.withUnsafeBytes { input in
            buffers.withInput(input) {
                taken = take(10, from: buffers)
                expect(take(10, from: buffers).isEmpty)
            }
        }
        expectEqual(taken, bytes)
    }

    private func append(_ bytes: [UInt8], to buffers: TLSBuffers) {
        bytes.withUnsafeBytes { buffers.appendOutput($0.baseAddress!, count: $0.count) }
    }

    private func take(_ size: Int, from buffers: TLSBuffers) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { destination, count in
            count = buffers.takeInput(into: destination.baseAddress!, size: size)
        }
    }
}
