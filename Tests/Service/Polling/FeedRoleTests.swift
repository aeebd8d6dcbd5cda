import Expectations

@testable import Core
@testable import Service

@Suite(
    "Roles of feeds: which stale feeds leave an answer without a fresh input",
    .timeLimit(.minutes(10))
)
struct FeedRoleTests {
    private let now = Timestamp(iso8601: "2024-12-09T17:10:00Z")!

    /// A feed that was answered a minute ago, or fails since its start.
    private func line(_ name: String, _ role: FeedRole, isStale: Bool = false) -> HealthBoard.Line {
        var health = FeedHealth(
            status: isStale ? .failing : .healthy,
            consecutiveFailures: isStale ? 1 : 0,
            nextAttempt: now
        )
        if !isStale { health.lastSuccess = now - .seconds(60) }
        return HealthBoard.Line(name: name, health: health, staleAfter: .seconds(180), role: role)
    }

    private func alternative(_ group: String) -> FeedRole {
        .alternative(input: "wind", group: group)
    }

    private func names(_ lines: [HealthBoard.Line]) -> [String] {
        lines.withoutFreshInput(now: now).map(\.name)
    }

    @Test func staleRequiredFeedIsNamedAndFreshOnesAreNot() {
        expectEqual(names([]), [])
        expectEqual(names([line("a", .required), line("b", .required)]), [])
        expectEqual(names([line("a", .required), line("b", .required, isStale: true)]), ["b"])
    }

    @Test func feedThatEntersNoAnswerIsNeverNamed() {
        let lines = [line("a", .informative, isStale: true), line("b", .required)]
        expectEqual(names(lines), [])
        expectEqual(lines.map(\.input), [nil, "b"])
    }

    @Test func feedsAreNamedOnlyWhenEveryGroupOfTheirInputIsStale() {
        for (stale, expected) in [
            ("", ""), ("a", ""), ("b", ""), ("c", ""), ("bc", ""), ("ab", "ab"), ("ac", "ac"),
            ("abc", "abc"),
        ] {
            let lines = [("a", "one"), ("b", "two"), ("c", "two")].map { name, group in
                line(name, alternative(group), isStale: stale.contains(name))
            }
            expectEqual(names(lines), expected.map(String.init), "\(stale) stale")
            expect(lines.allSatisfy { $0.input == "wind" })
        }
    }

    @Test func lostFirstSourceIsNamedWhileAnotherGroupIsFresh() {
        for (stale, expected) in [
            ("", ""), ("a", "a"), ("b", ""), ("bc", ""), ("ab", ""), ("abc", ""),
        ] {
            let roles: [(String, FeedRole)] = [
                ("a", .alternative(input: "wind", group: "one", isFirst: true)),
                ("b", alternative("two")), ("c", alternative("two")),
            ]
            let lines = roles.map { line($0, $1, isStale: stale.contains($0)) }
            expectEqual(
                lines.replacedFirstSources(now: now).map(\.name),
                expected.map(String.init),
                "\(stale) stale"
            )
        }
        let equals = [line("a", alternative("one"), isStale: true), line("b", alternative("two"))]
        expect(equals.replacedFirstSources(now: now).isEmpty, "sources that are equal")
    }

    @Test func groupOfOneInputDoesNotReplaceThatOfAnother() {
        let lines = [
            line("a", alternative("one"), isStale: true),
            line("b", .alternative(input: "news", group: "one")),
        ]
        expectEqual(names(lines), ["a"])
    }

    @Test func boardKeepsTheRoleWithTheLine() {
        let board = HealthBoard()
        let machine = FeedMachine(
            name: "a",
            policy: FeedPolicy(interval: .seconds(60)),
            validators: FeedValidators(),
            now: now,
            random: 0
        )
        board.update(machine, role: .informative)
        expectEqual(board.all.map(\.role), [.informative])
    }
}
