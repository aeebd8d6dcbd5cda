import Core
import Expectations

@Suite("RFC 9700 §4.14.2: refresh tokens", .timeLimit(.minutes(10)))
struct RefreshDecisionTests {
    private static let start = Timestamp(milliseconds: 1_780_000_000_000)
    private let lifetime = Duration.seconds(60 * 86_400)

    /// One family, in the place of the store.
    private struct Family {
        var records: [RefreshRecord]
        var lastToken = 0

        init(expiresAt: Timestamp) {
            records = [
                RefreshRecord(
                    hash: Self.hash(0),
                    user: "7",
                    family: "f",
                    expiresAt: expiresAt
                )
            ]
        }

        static func hash(_ token: Int) -> [UInt8] {
            RefreshToken.hash(of: "token \(token)")
        }

        /// Shows a token, and carries out what is decided.
        ///
        /// - Parameter seconds: after the start.
        mutating func show(
            _ token: Int,
            at seconds: Double,
            lifetime: Duration
        ) -> RefreshDecision {
            let hash = Self.hash(token)
            let decision = RefreshDecision.decide(
                hash,
                successor: Self.hash(lastToken + 1),
                family: records.contains { $0.hash == hash } ? records : [],
                lifetime: lifetime,
                now: start + .seconds(seconds)
            )
            switch decision {
            case .rotate(let rotation):
                lastToken += 1
                let changed = rotation.used.map(\.hash) + rotation.forgotten
                records.removeAll { changed.contains($0.hash) }
                records += rotation.used + [rotation.successor]
            case .revoke: records = []
            case .refuse: break
            }
            return decision
        }
    }

    private func family() -> Family { Family(expiresAt: Self.start + lifetime) }

    private func isRotated(_ decision: RefreshDecision) -> Bool {
        if case .rotate = decision { true } else { false }
    }

    @Test func goodTokenGivesItsPlaceToAnother() {
        var family = family()
        guard case .rotate(let rotation) = family.show(0, at: 5, lifetime: lifetime) else {
            Issue.record("the token was refused")
            return
        }
        let now = Self.start + .seconds(5)
        expectEqual(rotation.used.map(\.hash), [Family.hash(0)])
        expectEqual(rotation.used[0].usedAt, now)
        expectEqual(rotation.successor.hash, Family.hash(1))
        expectEqual(rotation.successor.user, "7")
        expectEqual(rotation.successor.family, "f")
        expectEqual(rotation.successor.expiresAt, now + lifetime)
        expectNil(rotation.successor.usedAt)
        expect(rotation.forgotten.isEmpty)
    }

    @Test func unknownTokenIsRefused() {
        var family = family()
        expectEqual(family.show(9, at: 0, lifetime: lifetime), .refuse(.unknown))
        expect(isRotated(family.show(0, at: 1, lifetime: lifetime)))
    }

    @Test(arguments: [(-0.001, true), (0, false), (1, false)])
    func tokenEndsWithItsLifetime(seconds: Double, isGood: Bool) {
        var family = family()
        let decision = family.show(0, at: lifetime.inSeconds + seconds, lifetime: lifetime)
        expectEqual(isRotated(decision), isGood)
        if !isGood { expectEqual(decision, .refuse(.expired)) }
    }

    @Test func tokenThatWasFollowedRevokesItsFamily() {
        var family = family()
        _ = family.show(0, at: 0, lifetime: lifetime)
        _ = family.show(1, at: 1, lifetime: lifetime)
        expectEqual(
            family.show(0, at: 2, lifetime: lifetime),
            .revoke(family: "f", user: "7"),
            "the answer had arrived: this is a copy, within the time or not"
        )
        for token in 0...2 {
            expectEqual(family.show(token, at: 3, lifetime: lifetime), .refuse(.unknown))
        }
    }

    @Test(arguments: [(29.999, true), (30, false), (3600, false)])
    func tokenWhoseAnswerWasLostIsGoodAWhileLonger(seconds: Double, isGood: Bool) {
        var family = family()
        _ = family.show(0, at: 0, lifetime: lifetime)
        let again = family.show(0, at: seconds, lifetime: lifetime)
        expectEqual(isRotated(again), isGood)
        if !isGood { expectEqual(again, .revoke(family: "f", user: "7")) }
    }

    @Test func timeForALostAnswerDoesNotBeginAnew() {
        var family = family()
        for second in [0.0, 10, 20, 29] {
            expect(isRotated(family.show(0, at: second, lifetime: lifetime)))
        }
        expectEqual(family.show(0, at: 31, lifetime: lifetime), .revoke(family: "f", user: "7"))
    }

    /// Two clients have a successor, so one of them has a copy.
    @Test(arguments: [1.001, 2, 29, 100])
    func useOfAReplacedSuccessorRevokesTheFamily(seconds: Double) {
        var family = family()
        _ = family.show(0, at: 0, lifetime: lifetime)
        _ = family.show(0, at: 1, lifetime: lifetime)
        var before = family
        expectEqual(
            before.show(1, at: seconds, lifetime: lifetime),
            .revoke(family: "f", user: "7")
        )
        expect(isRotated(family.show(2, at: seconds, lifetime: lifetime)))
        let after = seconds + 1
        expectEqual(family.show(1, at: after, lifetime: lifetime), .revoke(family: "f", user: "7"))
    }

    @Test func familyHasOneUnusedTokenHoweverOftenOneIsRepeated() {
        var family = family()
        for repetition in 0..<5 {
            expect(isRotated(family.show(0, at: Double(repetition), lifetime: lifetime)))
            expectEqual(family.records.filter { $0.usedAt == nil }.count, 1)
        }
        expect(isRotated(family.show(5, at: 9, lifetime: lifetime)), "the newest successor")
    }

    @Test func repetitionIsRefusedAfterTheSuccessorWasUsed() {
        var family = family()
        _ = family.show(0, at: 0, lifetime: lifetime)
        _ = family.show(0, at: 1, lifetime: lifetime)
        _ = family.show(2, at: 2, lifetime: lifetime)
        expectEqual(family.show(0, at: 3, lifetime: lifetime), .revoke(family: "f", user: "7"))
    }

    /// Families of the release before can have several.
    @Test func useOfOneSuccessorReplacesAnyOthers() {
        var family = family()
        _ = family.show(0, at: 0, lifetime: lifetime)
        var other = family.records[1]
        other.hash = Family.hash(77)
        family.records.append(other)
        expect(isRotated(family.show(1, at: 100, lifetime: lifetime)))
        expectEqual(family.show(77, at: 200, lifetime: lifetime), .revoke(family: "f", user: "7"))
    }

    @Test func familyKeepsNoMoreThanSoManyUsedTokens() {
        var family = family()
        let shown = RefreshDecision.usedMax + 10
        for token in 0..<shown {
            expect(
                isRotated(family.show(token, at: Double(token) * 60, lifetime: lifetime)),
                "token \(token)"
            )
            expect(family.records.count <= RefreshDecision.usedMax + 1)
        }
        let oldest = shown - RefreshDecision.usedMax
        let end = Double(shown) * 60
        expectEqual(family.show(oldest - 1, at: end, lifetime: lifetime), .refuse(.unknown))
        let copied = family.show(oldest, at: end, lifetime: lifetime)
        expectEqual(copied, .revoke(family: "f", user: "7"))
    }

    @Test func expiredTokensAreForgotten() {
        var family = Family(expiresAt: Self.start + .seconds(100))
        _ = family.show(0, at: 0, lifetime: .seconds(100))
        _ = family.show(1, at: 50, lifetime: .seconds(100))
        expectEqual(family.records.count, 3)
        _ = family.show(2, at: 120, lifetime: .seconds(100))
        expectEqual(family.records.map(\.hash), [2, 3].map(Family.hash))
    }

    // MARK: The token itself

    @Test func tokenIsItsRandomBytesAndKeptAsItsHash() {
        let token = RefreshToken(random: (0..<32).map { $0 })
        expectEqual(token.text, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
        expectEqual(token.hash, RefreshToken.hash(of: token.text))
        expectEqual(token.hash.count, 32)
        expect(RefreshToken(random: [UInt8](repeating: 7, count: 32)).hash != token.hash)
    }

    @Test func tokenIsNotShown() {
        let token = RefreshToken(random: [UInt8](repeating: 9, count: 32))
        for text in ["\(token)", String(reflecting: token), "\([token])"] {
            expect(!text.contains(token.text))
        }
    }
}
