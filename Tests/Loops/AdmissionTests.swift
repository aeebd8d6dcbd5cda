import Core
import Expectations

@testable import Loops
@testable import Reactor

@Suite("Loops: whom a loop lets in", .timeLimit(.minutes(10)))
struct AdmissionTests {
    private var admission = Admission(
        verifier: TokenVerifier(keys: TokenKeySet(configured: [])),
        apiKeys: APIKeys([])
    )

    private func id(_ index: UInt32) -> ConnectionID { ConnectionID(index: index, generation: 1) }

    @Test mutating func connectionsAreFoundByTheirUser() {
        admission.add(id(1), of: "kari")
        admission.add(id(2), of: "kari")
        admission.add(id(3), of: "ola")
        admission.add(id(4), of: "")
        expectEqual(Set(admission.connections(of: "kari")), [id(1), id(2)])
        expectEqual(admission.connections(of: ""), [], "nobody in particular")
        admission.remove(id(1), of: "kari")
        // Of somebody else, and once more.
        admission.remove(id(3), of: "kari")
        admission.remove(id(1), of: "kari")
        expectEqual(admission.connections(of: "kari"), [id(2)])
        expectEqual(admission.connections(of: "ola"), [id(3)])
    }
}
