import ConformanceCases
import Expectations

@Suite("Conformance: the list itself", .timeLimit(.minutes(10)))
struct CaseListTests {
    @Test func everyGroupHasAsManyCasesAsTheSuite() {
        let counts = Dictionary(grouping: ConformanceCase.all, by: group).mapValues(\.count)
        let expected = [
            "1": 16, "2": 11, "3": 7, "4": 10, "5": 20, "6": 145, "7": 37, "9": 54, "10": 1,
            "12": 90, "13": 126,
        ]
        expectEqual(counts, expected)
        expectEqual(ConformanceCase.all.count, 517)
    }

    private func group(_ conformanceCase: ConformanceCase) -> String {
        String(conformanceCase.id.prefix { $0 != "." })
    }

    @Test func everyIdStandsThereOnce() {
        expectEqual(Set(ConformanceCase.all.map(\.id)).count, ConformanceCase.all.count)
    }

    @Test func onlyThreeCasesAreInformational() {
        let informational = ConformanceCase.all.filter(\.isInformational).map(\.id)
        expectEqual(informational, ["7.1.6", "7.13.1", "7.13.2"])
    }
}
