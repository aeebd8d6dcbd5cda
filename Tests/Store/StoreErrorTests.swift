import Expectations
import GRDB
import StoreTesting

@testable import Store

@Suite("Store errors", .timeLimit(.minutes(10)))
struct StoreErrorTests {
    @Test(arguments: [
        (ResultCode.SQLITE_CANTOPEN, StoreError.Code.cannotOpen), (.SQLITE_NOTADB, .notADatabase),
        (.SQLITE_READONLY, .readOnly), (.SQLITE_READONLY_DIRECTORY, .readOnly),
        (.SQLITE_BUSY, .locked), (.SQLITE_LOCKED, .locked), (.SQLITE_FULL, .diskFull),
        (.SQLITE_IOERR_FSYNC, .ioFailed), (.SQLITE_CORRUPT, .corrupt),
        (.SQLITE_CONSTRAINT_CHECK, .constraint), (.SQLITE_TOOBIG, .changeTooBig),
        (.SQLITE_MISUSE, .other),
    ])
    func resultCodeHasItsMeaning(_ result: ResultCode, _ code: StoreError.Code) {
        let error = StoreError.translating(DatabaseError(resultCode: result), path: "/x")
        expectEqual((error as? StoreError)?.code, code)
    }

    @Test func descriptionTellsFileReasonAndStatement() {
        let failure = DatabaseError(
            resultCode: .SQLITE_FULL,
            message: "database or disk is full",
            sql: "INSERT INTO topic"
        )
        let error = StoreError.translating(failure, path: "/var/varde.sqlite")
        expectEqual(
            "\(error)",
            "/var/varde.sqlite: disk is full: database or disk is full, in: INSERT INTO topic"
        )
        expectEqual("\(StoreError(.closed, "store is closed", path: "/x"))", "/x: store is closed")
    }

    @Test func otherErrorsPassUnchanged() {
        let own = StoreError(.closed, "store is closed", path: "/x")
        expectEqual(StoreError.translating(own, path: "/y") as? StoreError, own)
        expect(StoreError.translating(CancellationError(), path: "/y") is CancellationError)
    }
}
