import Expectations
import Service

@Suite("Revoked tokens and blocked users", .timeLimit(.minutes(10)))
struct RevocationTests {
    private let now = Timestamp(milliseconds: 1_000_000)

    private func mark(_ id: String? = nil, issued: Int64? = nil) -> TokenMark {
        TokenMark(id: id, issuedAt: issued.map { Timestamp(milliseconds: $0) })
    }

    private func table(_ revocations: Revocation...) -> RevocationTable {
        var table = RevocationTable()
        for revocation in revocations { table.add(revocation) }
        return table
    }

    @Test func emptyTableRefusesNothing() {
        expect(!RevocationTable().refuses(mark("a"), of: "kari", now: now))
    }

    @Test func tokenIsRefusedByItsNameWhoseverItIs() {
        let table = table(Revocation(.token("a")))
        expect(table.refuses(mark("a"), of: "kari", now: now))
        expect(table.refuses(mark("a"), of: "", now: now))
        expect(!table.refuses(mark("b"), of: "kari", now: now))
        expect(!table.refuses(mark(), of: "kari", now: now))
    }

    @Test func tokensOfAUserAreRefusedThatWereIssuedBefore() {
        let time = Timestamp(milliseconds: 500_000)
        let table = table(Revocation(.tokens(ofUser: "kari"), before: time))
        expect(table.refuses(mark(issued: 499_000), of: "kari", now: now))
        expect(!table.refuses(mark(issued: 500_000), of: "kari", now: now))
        expect(table.refuses(mark(), of: "kari", now: now), "nothing shows that it is newer")
        expect(!table.refuses(mark(issued: 1), of: "nora", now: now))
        expect(!table.isBlocked("kari", now: now))
    }

    @Test func laterTimeStays() {
        var table = table(
            Revocation(.tokens(ofUser: "kari"), before: Timestamp(milliseconds: 500_000))
        )
        table.add(Revocation(.tokens(ofUser: "kari"), before: Timestamp(milliseconds: 400_000)))
        expect(table.refuses(mark(issued: 450_000), of: "kari", now: now))
        expectEqual(table.count, 1)
    }

    @Test func blockedUserIsRefusedUntilTheEnd() {
        let end = Timestamp(milliseconds: 1_000_001)
        var table = table(Revocation(.user("kari"), expiresAt: end))
        expect(table.refuses(mark("new", issued: 999_000), of: "kari", now: now))
        expect(table.isBlocked("kari", now: now))
        expect(table.expired(now: now).isEmpty)
        expect(!table.isBlocked("kari", now: end))
        expectEqual(table.expired(now: end), [.user("kari")])
        table.remove(.user("kari"))
        expect(!table.refuses(mark(), of: "kari", now: now))
    }

    @Test func clientsWithoutAnAccountCannotBeBlocked() {
        let table = table(Revocation(.user("")), Revocation(.tokens(ofUser: ""), before: now))
        expect(!table.refuses(mark(), of: "", now: now))
    }
}
