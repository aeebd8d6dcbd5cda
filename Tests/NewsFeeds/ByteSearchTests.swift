import Expectations
import SeededRandom

@testable import NewsFeeds

@Suite("Feeds: search for bytes", .timeLimit(.minutes(10)))
struct ByteSearchTests {
    @Test func indexIsTheOneOfAPlainSearch() {
        var generator = SeededGenerator(seed: 23)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...40, using: &generator) }
            let start = count == 0 ? 0 : Int.random(in: 0...count, using: &generator)
            let plain = bytes[start...].firstIndex(of: 7) ?? count
            let index = bytes.withUnsafeBytes { ByteSearch.index(of: 7, in: $0, from: start) }
            expectEqual(index, plain, "\(bytes) from \(start)")
        }
    }

    @Test func controlCharactersAreFoundAtEveryPlace() {
        for count in 0..<100 {
            let text = [UInt8](repeating: 0x41, count: count)
            expect(!text.withUnsafeBytes(ByteSearch.hasControl))
            for index in 0..<count {
                var bytes = text
                for byte: UInt8 in [0x00, 0x08, 0x0B, 0x1F] {
                    bytes[index] = byte
                    expect(bytes.withUnsafeBytes(ByteSearch.hasControl), "\(byte) at \(index)")
                }
                for byte: UInt8 in [0x09, 0x0A, 0x0D, 0x20, 0x7F, 0xFF] {
                    bytes[index] = byte
                    expect(!bytes.withUnsafeBytes(ByteSearch.hasControl), "\(byte) at \(index)")
                }
            }
        }
    }
}
