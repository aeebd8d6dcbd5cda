import Expectations
import Foundation
import SeededRandom
import Topics

/// protocol/vectors/fossil-delta.json
private struct FossilDeltaVectors: Decodable {
    struct Valid: Decodable, CustomTestStringConvertible {
        var name: String
        var origin: Data
        var delta: Data
        var target: Data
        var testDescription: String { name }
    }

    struct Invalid: Decodable, CustomTestStringConvertible {
        var name: String
        var origin: Data
        var delta: Data
        var error: String
        var testDescription: String { name }
    }

    var lengthMax: Int
    var valid: [Valid]
    var invalid: [Invalid]

    static let all: Self = {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "protocol/vectors/fossil-delta.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(Self.self, from: Data(contentsOf: url))
        } catch {
            preconditionFailure("\(url.path): \(error)")
        }
    }()
}

@Suite("protocol/vectors/fossil-delta.json", .timeLimit(.minutes(10)))
struct FossilDeltaVectorTests {
    @Test(arguments: FossilDeltaVectors.all.valid)
    private func deltaMakesTheTarget(_ vector: FossilDeltaVectors.Valid) throws {
        let target = try FossilDelta.apply(
            Array(vector.delta),
            to: Array(vector.origin),
            lengthMax: FossilDeltaVectors.all.lengthMax
        )
        expectEqual(target, Array(vector.target))
    }

    /// None of the deltas that others made of them is shorter by more than a tenth.
    @Test(arguments: FossilDeltaVectors.all.valid)
    private func ourDeltaIsAsGood(_ vector: FossilDeltaVectors.Valid) throws {
        let origin = Array(vector.origin)
        let delta = FossilDelta.encode(from: origin, to: Array(vector.target))
        try expectEqual(
            FossilDelta.apply(delta, to: origin, lengthMax: vector.target.count),
            Array(vector.target)
        )
        expect(delta.count * 10 <= vector.delta.count * 11, "\(delta.count) bytes")
    }

    @Test(arguments: FossilDeltaVectors.all.invalid)
    private func deltaIsRefused(_ vector: FossilDeltaVectors.Invalid) {
        do throws(FossilDeltaError) {
            let target = try FossilDelta.apply(
                Array(vector.delta),
                to: Array(vector.origin),
                lengthMax: FossilDeltaVectors.all.lengthMax
            )
            Issue.record("makes \(target)")
        } catch {
            expectEqual(error.description, vector.error)
        }
    }

    /// A delta that is cut is never taken for a whole one.
    @Test(arguments: FossilDeltaVectors.all.valid)
    private func everyBeginOfADeltaIsRefused(_ vector: FossilDeltaVectors.Valid) {
        for length in 0..<vector.delta.count {
            #expect(throws: FossilDeltaError.self, "\(length) bytes") {
                try FossilDelta.apply(
                    Array(vector.delta.prefix(length)),
                    to: Array(vector.origin),
                    lengthMax: FossilDeltaVectors.all.lengthMax
                )
            }
        }
    }
}

@Suite("Deltas of publications", .timeLimit(.minutes(10)))
struct FossilDeltaTests {
    private func delta(_ origin: String, _ target: String) -> String {
        String(
            decoding: FossilDelta.encode(from: Array(origin.utf8), to: Array(target.utf8)),
            as: UTF8.self
        )
    }

    private func checkRoundTrip(_ origin: [UInt8], _ target: [UInt8], _ message: String) throws {
        let delta = FossilDelta.encode(from: origin, to: target)
        let applied = try FossilDelta.apply(delta, to: origin, lengthMax: target.count)
        expectEqual(applied, target, "\(message)")
        expect(delta.count <= target.count + 21, "\(message): \(delta.count) bytes")
    }

    @Test func targetAsLongAsItsLimitIsMadeAndOneByteMoreIsRefused() throws {
        let delta = FossilDelta.encode(from: [], to: Array("four".utf8))
        try expectEqual(FossilDelta.apply(delta, to: [], lengthMax: 4), Array("four".utf8))
        #expect(throws: FossilDeltaError.targetTooLong(length: 4, limit: 3)) {
            try FossilDelta.apply(delta, to: [], lengthMax: 3)
        }
    }

    /// One command of 2^32 - 1 bytes is stopped before any of them is copied.
    @Test func deltaCanNotMakeMoreThanItSaid() {
        let origin = [UInt8](repeating: 0, count: 1000)
        #expect(throws: FossilDeltaError.lengthDiffers) {
            try FossilDelta.apply(Array("1\nFd@0,Fd@0,0;".utf8), to: origin, lengthMax: 1)
        }
    }

    @Test func whatIsTheSameIsCopiedAtOnce() {
        let text = #"{"place":"tromso","kp":5.33}"#
        expect(delta(text, text).hasPrefix("S\nS@0,"))
    }

    @Test func oneChangedNumberIsAllThatIsInserted() {
        let delta = delta(
            #"{"place":"tromso","kp":5.33,"time":"2026-01-01T00:00:00Z"}"#,
            #"{"place":"tromso","kp":6.67,"time":"2026-01-01T00:00:00Z"}"#
        )
        expect(delta.hasPrefix("v\nN@0,4:6.67V@R,"), "\(delta)")
    }

    @Test func shortSimilaritiesAreNotCopied() {
        expect(delta("abc", "abd").hasPrefix("3\n3:abd"))
        expect(delta("", "abc").hasPrefix("3\n3:abc"))
        expectEqual(delta("abc", ""), "0\n0;")
    }

    @Test func partsThatChangedPlacesAreFound() throws {
        var random = SeededGenerator(seed: 1)
        let parts = (0..<4).map { _ in
            (0..<200).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
        let origin = parts.flatMap(\.self)
        let target = [3, 1, 0, 2].flatMap { parts[$0] }
        let delta = FossilDelta.encode(from: origin, to: target)
        expect(delta.count < 60, "\(delta.count) bytes")
        try checkRoundTrip(origin, target, "parts")
    }

    /// Without a limit on the candidates these would take minutes.
    @Test func repetitionCostsNoSquare() throws {
        let zeros = [UInt8](repeating: 0, count: 300_000)
        let pairs = (0..<300_000).map { UInt8($0 % 2) }
        try checkRoundTrip(zeros, pairs, "zeros to pairs")
        try checkRoundTrip(pairs, [7] + zeros + [7], "pairs to zeros")
        try checkRoundTrip([1] + zeros, [2] + zeros + zeros + [3], "zeros to more")
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func randomChangesAreMadeGood(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<40 {
            let letters = UInt8([2, 4, 255].randomElement(using: &random)!)
            let origin = (0..<Int.random(in: 0...600, using: &random)).map { _ in
                UInt8.random(in: 0..<letters, using: &random)
            }
            var target = origin
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let start = Int.random(in: 0...target.count, using: &random)
                let end = min(target.count, start + Int.random(in: 0...40, using: &random))
                let piece = Int.random(in: 0...origin.count, using: &random)
                let inserted =
                    Bool.random(using: &random)
                    ? Array(origin[piece...].prefix(60))
                    : (0..<Int.random(in: 0...20, using: &random)).map { _ in
                        UInt8.random(in: 0..<letters, using: &random)
                    }
                target.replaceSubrange(start..<end, with: inserted)
            }
            try checkRoundTrip(origin, target, "seed \(seed), round \(round)")
        }
    }

    /// A changed bit makes another delta, which is refused or makes the same bytes; the checksum sees to it.
    @Test func changedBitsAreNoticed() throws {
        let origin = Array(#"{"bids":[["609520","2010.12"],["609510","5080.7"]]}"#.utf8)
        let target = Array(#"{"bids":[["609520","1852.72"],["609510","5080.7"]]}"#.utf8)
        let delta = FossilDelta.encode(from: origin, to: target)
        for index in delta.indices {
            for bit in 0..<8 {
                var changed = delta
                changed[index] ^= 1 << bit
                let made = try? FossilDelta.apply(changed, to: origin, lengthMax: 1000)
                expect(made == nil || made == target, "bit \(bit) of byte \(index)")
            }
        }
    }
}
