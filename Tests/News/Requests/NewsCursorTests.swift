import Expectations
import News
import SeededRandom

@Suite("Cursors", .timeLimit(.minutes(10)))
struct NewsCursorTests {
    private let cursors = NewsCursors(key: [UInt8](repeating: 7, count: 32))
    private let cursor = NewsCursor(generation: 41, position: RankPosition(key: 12.5, id: 99))

    private func read(
        _ text: String,
        list: String = "feed",
        oldest: Int = 0
    ) -> Result<NewsCursor, NewsCursorError> {
        do throws(NewsCursorError) {
            return .success(try cursors.cursor(text, list: list, oldestGeneration: oldest))
        } catch {
            return .failure(error)
        }
    }

    private static func random(_ random: inout SeededGenerator) -> NewsCursor {
        func position() -> RankPosition {
            let keys = [
                Double.random(in: -1e6...1e6, using: &random), 0, -0.0, .infinity, -.infinity,
                .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            ]
            let ids = [Int.random(in: .min ... .max, using: &random), 0, .max, .min]
            return RankPosition(
                key: keys.randomElement(using: &random)!,
                id: ids.randomElement(using: &random)!
            )
        }
        return NewsCursor(
            generation: Int.random(in: 0...Int.max, using: &random),
            position: position(),
            second: Bool.random(using: &random) ? position() : nil
        )
    }

    @Test(arguments: 0..<10)
    func everyCursorIsReadAsItWasWritten(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<200 {
            let cursor = NewsCursorTests.random(&random)
            let text = cursors.text(of: cursor, list: "feed")
            expectEqual(read(text), .success(cursor), "seed \(seed)")
            expectEqual(text.utf8.count, (cursor.second == nil ? 56 : 76))
            expect(text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
        }
    }

    @Test(arguments: [nil, RankPosition(key: -1, id: 3)])
    func everyChangedByteIsNoticed(second: RankPosition?) {
        var cursor = cursor
        cursor.second = second
        let text = Array(cursors.text(of: cursor, list: "feed").utf8)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[index] {
                var changed = text
                changed[index] = byte
                guard let changed = String(validating: changed, as: UTF8.self) else { continue }
                if case .success = read(changed) {
                    Issue.record("byte \(index) changed to \(byte) was not noticed")
                }
            }
        }
    }

    @Test func everyBitOfTheTextCounts() {
        // Letters of the alphabet only: what differs is the tag or what it covers.
        let text = Array(cursors.text(of: cursor, list: "feed"))
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for index in text.indices {
            for character in alphabet where character != text[index] {
                var changed = text
                changed[index] = character
                expectEqual(read(String(changed)), .failure(.notOfThisList))
            }
        }
    }

    @Test func truncatedAndLongerTextsAreMalformed() {
        let text = cursors.text(of: cursor, list: "feed")
        for length in 0..<text.count {
            let part = String(text.prefix(length))
            expectEqual(read(part), .failure(.malformed(length: length)))
        }
        for rest in ["A", "=", "AAAA", text] {
            let longer = text + rest
            expectEqual(read(longer), .failure(.malformed(length: longer.count)))
        }
        // As long as a cursor with two positions.
        expectEqual(read(text + String(repeating: "A", count: 20)), .failure(.notOfThisList))
    }

    @Test(arguments: ["+", "/", "=", " ", "\n", "ä", ".", "%"])
    func foreignCharactersAreMalformed(character: String) {
        let text = cursors.text(of: cursor, list: "feed")
        let count = 56 - character.utf8.count
        expectEqual(read(text.prefix(count) + character), .failure(.malformed(length: 56)))
    }

    @Test(arguments: ["", "fee", "feed ", "feeds", "personalized-feed:1", "personalized-feed:2"])
    func cursorOfAnotherListIsRefused(list: String) {
        expectEqual(read(cursors.text(of: cursor, list: list)), .failure(.notOfThisList))
        expectEqual(
            read(cursors.text(of: cursor, list: "feed"), list: list),
            .failure(.notOfThisList)
        )
        expectEqual(read(cursors.text(of: cursor, list: list), list: list), .success(cursor))
    }

    @Test func cursorOfAnotherKeyIsRefused() {
        let other = NewsCursors(key: [UInt8](repeating: 8, count: 32))
        expectEqual(read(other.text(of: cursor, list: "feed")), .failure(.notOfThisList))
    }

    @Test func oldGenerationHasExpired() {
        let text = cursors.text(of: cursor, list: "feed")
        expectEqual(read(text, oldest: 41), .success(cursor))
        expectEqual(read(text, oldest: 42), .failure(.expired))
    }

    @Test(arguments: 0..<10)
    func randomTextsAreRefused(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...100, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if case .success = read(String(decoding: bytes, as: UTF8.self)) {
                Issue.record("seed \(seed): \(bytes) was taken for a cursor")
            }
        }
    }

    @Test func eachErrorIsAClear400() {
        let errors: [NewsCursorError] = [.malformed(length: 5), .notOfThisList, .expired]
        let details = errors.map { NewsError.invalidCursor($0) }
        expect(details.allSatisfy { $0.status == 400 && $0.error == "Invalid cursor" })
        expectEqual(
            details.map(\.details),
            [
                "cursor is malformed, 5 bytes", "cursor is not one of this list",
                "cursor has expired; start again without one",
            ]
        )
    }

    @Test func positionsAreOrderedByKeyThenID() {
        let positions = [
            RankPosition.start, RankPosition(key: 2, id: 1), RankPosition(key: 1, id: 9),
            RankPosition(key: 1, id: 8), RankPosition(key: -1, id: 50),
        ]
        for (index, one) in positions.enumerated() {
            for (otherIndex, other) in positions.enumerated() {
                expectEqual(one.precedes(other), (index < otherIndex))
            }
        }
    }
}
