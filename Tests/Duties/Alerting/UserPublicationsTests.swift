import Expectations
import HubTesting
import LoopTesting
import SeededRandom

@testable import Duties

@Suite("Publications that wait for users' rules", .timeLimit(.minutes(10)))
struct UserPublicationsTests {
    private func publication(_ cursor: UInt64, bytes: Int = 10) -> Publication {
        Publication(
            topic: Topic(trusted: "orders:1"),
            offset: cursor,
            cursor: cursor,
            time: Timestamp(milliseconds: 0),
            payload: Array(repeating: 0x20, count: bytes)
        )
    }

    private func rule(of owner: String, comparisons: Int = 1) throws -> AlertRule {
        let condition = Array(repeating: "a>1", count: comparisons).joined(separator: " or ")
        return try AlertRule(
            name: "r",
            topics: "orders:*",
            when: AlertExpression(condition),
            severity: .info,
            owner: owner
        )
    }

    private func cursors(_ turns: [UserPublications.Turn]) -> [String: [UInt64]] {
        Dictionary(
            uniqueKeysWithValues: turns.map { ($0.owner.user ?? "", $0.publications.map(\.cursor)) }
        )
    }

    @Test func everybodyLooksAtEachPublicationOnce() throws {
        var waiting = UserPublications(countMax: 10, bytesMax: 1 << 20)
        let (kari, ola) = (try rule(of: "kari"), try rule(of: "ola"))
        waiting.append(publication(1), for: [kari, ola])
        waiting.append(publication(2), for: [ola])
        waiting.append(publication(3), for: [])
        expectEqual(waiting.count, 2)
        expectEqual(waiting.oldestCursor, 1)
        expectEqual(cursors(waiting.takeStep()), ["kari": [1], "ola": [1, 2]])
        expect(waiting.isEmpty)
        expectNil(waiting.oldestCursor)
        expectEqual(waiting.bytes, 0)
        expectEqual(waiting.takeStep(), [])
        expectEqual(waiting.takePassedOver(), 0)
    }

    /// 900 publications of a user with 120 comparisons, and one of another: the other is in the first step.
    @Test func expensiveRulesOfOneDelayOnlyThatOne() throws {
        var waiting = UserPublications(countMax: 1000, bytesMax: 1 << 20)
        let expensive = try rule(of: "eve", comparisons: 120)
        for cursor in 1...900 { waiting.append(publication(UInt64(cursor)), for: [expensive]) }
        waiting.append(publication(901), for: [try rule(of: "kari")])
        let first = cursors(waiting.takeStep())
        expectEqual(first["kari"], [901])
        let count = try require(first["eve"]).count
        expect(count > 0 && count < 900, "\(count)")
        expectEqual(waiting.oldestCursor, UInt64(count) + 1)
    }

    @Test func stepEndsWhenItsCostIsSpent() throws {
        var waiting = UserPublications(countMax: 1000, bytesMax: 1 << 20)
        let rule = try rule(of: "kari", comparisons: 90)
        for cursor in 1...100 { waiting.append(publication(UInt64(cursor)), for: [rule]) }
        let cost = UserPublications.cost(of: publication(1), rules: rule.cost)
        expectEqual(cursors(waiting.takeStep(costMax: 10 * cost)), ["kari": Array(1...10)])
        expectEqual(cursors(waiting.takeStep(costMax: 1)), ["kari": [11]])
        expectEqual(waiting.count, 89)
    }

    @Test func longPayloadsCostMore() {
        let long = publication(1, bytes: 64_000)
        expectEqual(UserPublications.cost(of: long, rules: 5), 1005)
    }

    /// Beyond the bound the flood pushes out itself, and nothing of who waits for little.
    @Test func floodOfOneCostsNobodyElse() throws {
        var waiting = UserPublications(countMax: 1000, bytesMax: 64 << 10)
        waiting.append(publication(1), for: [try rule(of: "kari")])
        let eve = try rule(of: "eve")
        for cursor in 2...500 {
            waiting.append(publication(UInt64(cursor), bytes: 4096), for: [eve])
        }
        expect(waiting.bytes <= waiting.bytesMax)
        let passedOver = waiting.takePassedOver()
        let taken = cursors(waiting.takeStep(costMax: .max))
        expectEqual(taken["kari"], [1])
        let left = try require(taken["eve"])
        expectEqual(left.last, 500, "the newest say where the topic stands")
        expectEqual(left.count + passedOver, 499)
        expectEqual(waiting.takePassedOver(), 0, "told once")
        expectEqual(waiting.bytes, 0)
    }

    @Test func countIsBounded() throws {
        var waiting = UserPublications(countMax: 3, bytesMax: 1 << 20)
        for cursor in 1...5 {
            waiting.append(publication(UInt64(cursor)), for: [try rule(of: "kari")])
        }
        expectEqual(waiting.count, 3)
        expectEqual(waiting.takePassedOver(), 2)
        expectEqual(cursors(waiting.takeStep()), ["kari": [3, 4, 5]])
    }

    @Test func onePublicationLongerThanTheBoundWaits() throws {
        var waiting = UserPublications(countMax: 3, bytesMax: 100)
        waiting.append(publication(1, bytes: 1000), for: [try rule(of: "kari")])
        expectEqual(cursors(waiting.takeStep()), ["kari": [1]])
    }

    @Test func whatIsErasedIsNotCounted() throws {
        var waiting = UserPublications(countMax: 10, bytesMax: 1 << 20)
        let rules = [try rule(of: "kari"), try rule(of: "ola")]
        for cursor in 1...4 { waiting.append(publication(UInt64(cursor)), for: rules) }
        waiting.remove { $0.cursor == 1 || $0.cursor == 3 }
        expectEqual(waiting.count, 2)
        expectEqual(waiting.oldestCursor, 2)
        expectEqual(cursors(waiting.takeStep()), ["kari": [2, 4], "ola": [2, 4]])
        expectEqual(waiting.takePassedOver(), 0)
        expectEqual(waiting.bytes, 0)
    }

    /// Whatever comes and goes, each of somebody's publications is taken in order or counted, and the bytes
    /// add up.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func randomTurnsLoseNothingUncounted(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var waiting = UserPublications(countMax: 40, bytesMax: 40_000)
        let users = try (0..<5).map { try rule(of: "u\($0)", comparisons: 1 + 30 * $0) }
        var (appended, taken, passedOver, cursor) = (0, 0, 0, UInt64(0))
        var last: [String: UInt64] = [:]
        for _ in 0..<400 {
            if Int.random(in: 0..<4, using: &random) > 0 {
                cursor += 1
                let rules = users.filter { _ in Bool.random(using: &random) }
                let bytes = Int.random(in: 0...3000, using: &random)
                waiting.append(publication(cursor, bytes: bytes), for: rules)
                appended += rules.count
            } else {
                for turn in waiting.takeStep(costMax: 500) {
                    for publication in turn.publications {
                        expect(
                            publication.cursor > last[turn.owner.user ?? ""] ?? 0,
                            "seed \(seed)"
                        )
                        last[turn.owner.user ?? ""] = publication.cursor
                        taken += 1
                    }
                }
            }
            expect(waiting.count <= 40, "seed \(seed)")
            expect(waiting.bytes <= 40_000, "seed \(seed)")
            passedOver += waiting.takePassedOver()
        }
        taken += waiting.takeStep(costMax: .max).reduce(0) { $0 + $1.publications.count }
        expectEqual(taken + passedOver, appended, "seed \(seed)")
        expect(waiting.bytes == 0 && waiting.isEmpty, "seed \(seed)")
    }

    // MARK: Put back

    @Test func whatIsPutBackIsTakenAgainInTheOrderOfEachUser() throws {
        var waiting = UserPublications(countMax: 10, bytesMax: 1 << 20)
        let (kari, ola) = (try rule(of: "kari"), try rule(of: "ola"))
        waiting.append(publication(1), for: [kari])
        waiting.append(publication(2), for: [kari, ola])
        waiting.append(publication(3), for: [ola])
        let bytes = waiting.bytes
        let cost = UserPublications.cost(of: publication(1), rules: kari.cost)
        // Kari's first two: of the second one, Ola's hold is left.
        let taken = waiting.takeStep(costMax: 2 * cost)
        expectEqual(cursors(taken), ["kari": [1, 2]])
        expectEqual(waiting.oldestCursor, 2)
        waiting.append(publication(4), for: [kari])
        waiting.putBack(taken) { _ in [kari, ola] }
        expectEqual(waiting.oldestCursor, 1)
        expectEqual(waiting.count, 4)
        waiting.remove { $0.cursor == 4 }
        expectEqual(waiting.bytes, bytes)
        expectEqual(cursors(waiting.takeStep()), ["kari": [1, 2], "ola": [2, 3]])
        expect(waiting.isEmpty)
        expectEqual(waiting.bytes, 0)
        expectEqual(waiting.takePassedOver(), 0)
    }

    @Test func ofWhatIsPutBackPastTheBoundTheOldestIsPassedOver() throws {
        var waiting = UserPublications(countMax: 3, bytesMax: 1 << 20)
        let kari = try rule(of: "kari")
        for cursor in UInt64(1)...3 { waiting.append(publication(cursor), for: [kari]) }
        let taken = waiting.takeStep()
        for cursor in UInt64(4)...5 { waiting.append(publication(cursor), for: [kari]) }
        waiting.putBack(taken) { _ in [kari] }
        expectEqual(waiting.count, 3)
        expectEqual(waiting.takePassedOver(), 2)
        expectEqual(cursors(waiting.takeStep()), ["kari": [3, 4, 5]])
        expectEqual(waiting.bytes, 0)
    }

    @Test func whatIsPutBackWithoutARuleWaitsNevertheless() throws {
        var waiting = UserPublications(countMax: 3, bytesMax: 1 << 20)
        waiting.append(publication(1), for: [try rule(of: "kari")])
        waiting.putBack(waiting.takeStep()) { _ in [] }
        expectEqual(cursors(waiting.takeStep()), ["kari": [1]])
        expectEqual(waiting.bytes, 0)
    }

    @Test func whatIsPutBackCanBeErased() throws {
        var waiting = UserPublications(countMax: 9, bytesMax: 1 << 20)
        let kari = try rule(of: "kari")
        for cursor in UInt64(1)...3 { waiting.append(publication(cursor), for: [kari]) }
        waiting.putBack(waiting.takeStep()) { _ in [kari] }
        waiting.remove { $0.cursor == 2 }
        expectEqual(cursors(waiting.takeStep()), ["kari": [1, 3]])
        expectEqual(waiting.bytes, 0)
    }
}
