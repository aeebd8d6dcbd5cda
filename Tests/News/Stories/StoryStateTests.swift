import Expectations
import SeededRandom

@testable import News

@Suite("Stories: stored rows", .timeLimit(.minutes(10)))
struct StoryStateTests {
    private let rows: [StoryRow]

    init() {
        var run = StoryRun()
        run.add(StoryMergeAndSplit(seed: 3).allArticles.prefix(200).map { $0 })
        rows = run.board.rows
    }

    private func error(_ rows: [StoryRow]) -> StoryStateError? {
        do {
            _ = try StoryBoard(restoring: rows)
            return nil
        } catch {
            return error
        }
    }

    @Test func rowsOfEveryKindAreRestoredInAnyOrder() throws {
        expectEqual(Set(rows.map(\.key.kind)), Set(StoryRow.Kind.allCases))
        var generator = SeededGenerator(seed: 5)
        let board = try StoryBoard(restoring: rows.shuffled(using: &generator))
        expectEqual(board.rows, rows)
        expect(board.pendingCount > 0)
    }

    @Test func boardThatWasJustRestoredHasNoChangesButItsOwnRow() throws {
        var board = try StoryBoard(restoring: rows)
        let changes = board.takeChanges()
        expect(!changes.replacesAll)
        expectEqual(changes.rows.map(\.key.kind), [.board])
    }

    @Test func emptyBoardIsRestored() throws {
        let board = try StoryBoard(restoring: StoryBoard().rows)
        expectEqual(board.openStoryCount, 0)
        expectEqual(board.rows, StoryBoard().rows)
    }

    @Test func missingBoardIsAnError() {
        expectEqual(
            error([]),
            StoryStateError(key: nil, message: "the row of the board is missing")
        )
        expect(error(rows.filter { $0.key.kind != .board }) != nil)
    }

    @Test func rowThatIsThereTwiceIsAnError() {
        for kind in StoryRow.Kind.allCases {
            let row = rows.first { $0.key.kind == kind }
            expectEqual(error(rows + [row].compactMap { $0 })?.message, "is there twice")
        }
    }

    @Test func aliasOfNoStoryIsAnError() {
        let stories = Set(rows.filter { $0.key.kind == .story }.map(\.key.number))
        let alias = rows.first { $0.key.kind == .alias }
        expect(alias != nil)
        for id in stories {
            let others = rows.filter { $0.key.kind != .story || $0.key.number != id }
            let isTarget = rows.contains {
                $0.key.kind == .alias && StoryBytesReader.integer($0.bytes ?? []) == Int(id)
            }
            expectEqual((error(others) != nil), isTarget)
        }
    }

    /// The prefixes of a row, all short ones and some long ones, and a row with a byte too many.
    @Test func rowsThatEndElsewhereAreErrors() {
        for kind in StoryRow.Kind.allCases {
            guard let position = rows.firstIndex(where: { $0.key.kind == kind }),
                let bytes = rows[position].bytes
            else { continue }
            var damaged = rows
            for length in 0..<bytes.count where length < 120 || length.isMultiple(of: 37) {
                damaged[position].bytes = Array(bytes.prefix(length))
                expectEqual(error(damaged)?.key, rows[position].key, "\(kind), \(length) bytes")
            }
            damaged[position].bytes = bytes + [0]
            expectEqual(error(damaged)?.key, rows[position].key)
            damaged[position].bytes = nil
            expectEqual(error(damaged)?.message, "has no bytes")
        }
    }

    /// A changed byte is an error or another board, and never a trap.
    @Test(arguments: UInt64(1)...3)
    func changedBytesDoNotTrap(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var errorCount = 0
        let articles = StoryMergeAndSplit(seed: seed).allArticles.suffix(50)
        for _ in 0..<100 {
            var damaged = rows
            let position = Int.random(in: 0..<60, using: &generator) % rows.count
            guard var bytes = damaged[position].bytes else { continue }
            let index = Int.random(in: bytes.indices, using: &generator)
            bytes[index] ^= UInt8.random(in: 1...255, using: &generator)
            damaged[position].bytes = bytes
            guard var board = try? StoryBoard(restoring: damaged) else {
                errorCount += 1
                continue
            }
            _ = board.add(Array(articles))
            _ = board.review(now: .atMinute(100))
        }
        expect(errorCount > 0)
    }
}

extension StoryBytesReader {
    fileprivate static func integer(_ bytes: [UInt8]) -> Int? {
        var reader = StoryBytesReader(bytes)
        return reader.integer()
    }
}
