import ConformanceCases
import Expectations
import Wire

@Suite("Conformance: the list against our own endpoints, in memory", .timeLimit(.minutes(10)))
struct ConformanceTests {
    /// Conversations short enough to be cut in every way.
    private static let short = ConformanceCase.plain.filter { !$0.id.hasPrefix("9.") }

    @Test(arguments: ConformanceCase.plain)
    func serverDoesWhatTheCaseAsksFor(conformanceCase: ConformanceCase) {
        let problem = rehearse(conformanceCase, against: .server, as: RawCodec(role: .client))
        expectNil(problem, "\(conformanceCase)")
    }

    @Test(arguments: ConformanceCase.plain)
    func clientDoesWhatTheCaseAsksFor(conformanceCase: ConformanceCase) {
        let problem = rehearse(conformanceCase, against: .client, as: RawCodec(role: .server))
        expectNil(problem, "\(conformanceCase)")
    }

    @Test(
        arguments: [Role.server, .client],
        [.together, .frames, .chops(1), .chops(7)] as [Delivery]
    )
    func endpointDoesTheSameHoweverTheBytesAreCut(role: Role, delivery: Delivery) {
        for conformanceCase in Self.short {
            let codec = RawCodec(role: role.peer)
            let problem = rehearse(conformanceCase, against: role, as: codec, delivery: delivery)
            expectNil(problem, "\(conformanceCase), \(delivery)")
        }
    }

    /// Without 7.1.6: an end that has sent its Close frame does not give out what arrives later.
    @Test(arguments: ConformanceCase.plain.filter { $0.id != "7.1.6" })
    func clientAndServerUnderstandEachOther(conformanceCase: ConformanceCase) {
        for role in [Role.server, .client] {
            let codec = ConnectionCodec(role: role.peer, limits: .conformance)
            let problem = rehearse(conformanceCase, against: role, as: codec)
            expectNil(problem, "\(conformanceCase), \(role)")
        }
    }
}
