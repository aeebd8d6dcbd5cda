import Expectations
import Store

@testable import API

@Suite("Publications from SQL: the pace", .timeLimit(.minutes(10)))
struct InboxPaceTests {
    private static func error(_ code: StoreError.Code) -> StoreError {
        StoreError(code, "why", path: "p")
    }

    private static let single: InboxPace = {
        var pace = InboxPace()
        _ = pace.noteFailure(error(.constraint))
        return pace
    }()

    static let ofTheRows: [StoreError.Code] = [.constraint, .notFound, .changeTooBig]
    static let temporary: [StoreError.Code] = [
        .cannotOpen, .notADatabase, .foreignDatabase, .newerSchema, .readOnly, .locked, .diskFull,
        .gone, .ioFailed, .fateUnknown, .corrupt, .queueFull, .tooManyTopics, .closed, .other,
    ]

    @Test func manyRowsAreTakenAtFirst() {
        expectEqual(InboxPace().rowsMax, 100)
    }

    @Test(arguments: ofTheRows)
    func faultOfTheRowsIsSearchedOneByOne(code: StoreError.Code) {
        var pace = InboxPace()
        expectEqual(pace.noteFailure(Self.error(code)), .again)
        expectEqual(pace.rowsMax, 1)
        expectEqual(pace, Self.single)
    }

    @Test(arguments: ofTheRows)
    func faultOfOneRowRefusesIt(code: StoreError.Code) {
        var pace = Self.single
        expectEqual(pace.noteFailure(Self.error(code)), .refuseOldest(reason: code.summary))
        expectEqual(pace, InboxPace())
    }

    @Test(arguments: temporary)
    func temporaryFailureLeavesTheRows(code: StoreError.Code) {
        for state in [InboxPace(), Self.single] {
            var pace = state
            expectEqual(pace.noteFailure(Self.error(code)), .later)
            expectEqual(pace, state)
        }
    }

    @Test func errorOfAnotherKindLeavesTheRows() {
        var pace = Self.single
        expectEqual(pace.noteFailure(CancellationError()), .later)
        expectEqual(pace, Self.single)
    }

    @Test func successTakesManyRowsAgain() {
        for state in [InboxPace(), Self.single] {
            var pace = state
            pace.noteSuccess()
            expectEqual(pace, InboxPace())
        }
    }
}
