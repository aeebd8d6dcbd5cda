import DomainKit
import Expectations

@Suite("Parts of a user's data", .timeLimit(.minutes(10)))
struct UserDataPageTests {
    private func section(_ name: String, _ count: Int, bytes: Int = 2) -> UserDataSection {
        UserDataSection(name, tables: []) { _, after, limit in
            (0..<count).map { 10 * $0 + 5 }.filter { $0 > after }.prefix(limit).map {
                UserDataRow(key: $0, json: [UInt8](repeating: 0x20, count: bytes))
            }
        }
    }

    /// Every part, as an app asks for them.
    private func parts(_ all: [UserDataSection]) async throws -> [UserDataPage] {
        var parts: [UserDataPage] = []
        var place: UserDataPage.Place?
        repeat {
            let part = try await require(UserDataPage.read(all, of: "1", from: place))
            parts.append(part)
            place = try part.next.map { try require(UserDataPage.Place($0.text)) }
        } while place != nil && parts.count < 100
        return parts
    }

    private func counts(_ parts: [UserDataPage]) -> [String: Int] {
        parts.flatMap(\.sections).reduce(into: [:]) { $0[$1.name, default: 0] += $1.rows.count }
    }

    @Test func fewRowsAreOnePart() async throws {
        let all = try await parts([section("a", 3), section("b", 0), section("c", 99)])
        expectEqual(all.count, 1)
        expectEqual(all[0].sections.map(\.name), ["a", "b", "c"])
        expectEqual(all[0].sections.map(\.rows.count), [3, 0, 99])
    }

    @Test(arguments: [99, 100, 101, 999, 1000, 1001, 2000, 2500])
    func everyRowIsInOnePart(count: Int) async throws {
        let all = try await parts([section("a", count), section("b", 7), section("c", count)])
        expectEqual(counts(all), ["a": count, "b": 7, "c": count])
        for part in all {
            expect(part.sections.reduce(0) { $0 + $1.rows.count } <= 1100)
        }
    }

    @Test func longRowsMakeMoreParts() async throws {
        let all = try await parts([section("a", 300, bytes: 10_000), section("b", 1)])
        expectEqual(counts(all), ["a": 300, "b": 1])
        expectEqual(all.count, 2, "two chunks of a hundred are over a mebibyte, the third is not")
    }

    @Test func partOfAnotherHubIsNone() async throws {
        let place = UserDataPage.Place(section: "d", after: 0)
        try await expectNil(UserDataPage.read([section("a", 3)], of: "1", from: place))
    }

    @Test(arguments: ["", "a", "a:", ":1", "a:-1", "a:01", "a:1:2", "a:x", "a: 1"])
    func otherTextsAreNoPlace(text: String) {
        expectNil(UserDataPage.Place(text))
    }
}
