import Expectations

@testable import Lifecycle

@Suite("Lifecycle: lists in parts", .timeLimit(.minutes(10)))
struct PartialListsTests {
    private static func change(_ user: String) -> LifecycleChange {
        LifecycleChange(.user(user), isThere: true, at: Timestamp(milliseconds: 0))
    }

    private let anna = change("anna")
    private let bo = change("bo")
    private let cleo = change("cleo")
    private var lists = PartialLists()

    @Test mutating func aListIsCompleteWithItsLastPart() {
        expectNil(lists.add([anna], index: 0, false, of: "p"))
        expectEqual(lists.add([cleo], index: 0, true, of: "q"), [cleo])
        expectEqual(lists.add([bo], index: 1, true, of: "p"), [anna, bo])
        expectEqual(lists.add([], index: 0, true, of: "p"), [])
    }

    @Test mutating func aListThatBeginsAgainReplacesItsFirstParts() {
        expectNil(lists.add([anna], index: 0, false, of: "p"))
        expectNil(lists.add([bo], index: 0, false, of: "p"))
        expectEqual(lists.add([cleo], index: 1, true, of: "p"), [bo, cleo])
    }

    @Test mutating func aListWithoutAPartIsNone() {
        expectNil(lists.add([anna], index: 0, false, of: "p"))
        expectNil(lists.add([bo], index: 2, false, of: "p"))
        expectNil(lists.add([cleo], index: 3, true, of: "p"))
        expectNil(lists.add([bo], index: 1, true, of: "q"))
        expectNil(lists.add([anna], index: 0, false, of: "p"))
        lists.drop("p")
        expectNil(lists.add([bo], index: 1, true, of: "p"))
    }
}
