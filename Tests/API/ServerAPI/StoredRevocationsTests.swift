import API
import Expectations
import Service

@Suite("Revocations in the store", .timeLimit(.minutes(10)))
struct StoredRevocationsTests {
    private static let time = Timestamp(milliseconds: 1_700_000_000_123)

    @Test(arguments: [
        Revocation(.token("user:x")), Revocation(.token("tokens:"), expiresAt: time),
        Revocation(.tokens(ofUser: "kari"), before: time),
        Revocation(.tokens(ofUser: "æ:ø"), before: time, expiresAt: time),
        Revocation(.user("token:1")),
    ])
    func whatIsStoredIsReadAgain(revocation: Revocation) {
        expectEqual(StoredRevocations.revocation(StoredRevocations.row(revocation)), revocation)
        let removal = StoredRevocations.removal(of: revocation.subject)
        expectEqual(removal.key, StoredRevocations.row(revocation).key)
        expectNil(removal.value)
    }

    @Test func rowOfAnotherFormIsNone() {
        for (key, value) in [("other:a", "{}"), ("user:a", "nonsense"), ("", "{}")] {
            let row = StateRow(domain: "revocations", key: key, value: Array(value.utf8))
            expectNil(StoredRevocations.revocation(row))
        }
    }
}
