import ClientWire
import Core
import Expectations
import LoopTesting
import Service
import TokenTesting
import Wire

@testable import Loops
@testable import Reactor

/// A class, because Swift Testing's macros take no noncopyable values.
@Suite("Loops: whom a loop lets in", .timeLimit(.minutes(10)))
final class AdmissionTests {
    private var admission = AdmissionTests.admission()

    private static func admission(
        _ verifier: TokenVerifier = TokenVerifier(keys: TokenKeySet(configured: []))
    ) -> Loops.Admission {
        Loops.Admission(
            verifier: verifier,
            apiKeys: APIKeys([]),
            rules: NamespaceRules(LoopFixture.namespaces, domains: [:], reserved: []),
            sockets: [],
            settings: AccessSettings(),
            context: LoopContext(
                index: 0,
                shared: HubShared(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
    }

    private func id(_ index: UInt32) -> ConnectionID { ConnectionID(index: index, generation: 1) }

    private func topic(_ name: String) -> Topic { Topic(trusted: name) }

    private func session() -> ClientSession {
        ClientSession(
            machine: ClientMachine(
                stream: .lines,
                CentrifugeSession(limits: CentrifugeLimits(), encoding: .json, now: 0)
            ),
            compressedForm: .clientStream,
            id: "c1",
            address: "192.0.2.1",
            network: 1,
            start: MonotonicInstant(nanoseconds: 0)
        )
    }

    private func head(_ target: String, _ fields: [(String, String)] = []) -> HTTPRequestHead {
        var headers = HTTPHeaders()
        for (name, value) in fields { headers.append(name, value) }
        return HTTPRequestHead(method: "GET", target: target, version: .http11, headers: headers)
    }

    private let peer = RequestPeer(address: "192.0.2.1", isForwarding: false)

    // MARK: Users

    @Test func connectionsAreFoundByTheirUser() {
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

    // MARK: Grants

    @Test func grantsGoAlongWithACommandThatWaits() {
        admission.grants.hasAskedToFill = true
        admission.grants.answer = .failure(.timeout)
        var input = WaitingInput(waitedFor: .hook)
        admission.moveGrants(to: &input)
        expect(admission.grants.answer == nil)
        expect(!admission.grants.hasAskedToFill)
        admission.takeGrants(of: input)
        expect(admission.grants.answer != nil)
        expect(admission.grants.hasAskedToFill)
        admission.dropAnswers()
        expect(admission.grants.answer == nil)
    }

    @Test func tokenIsVerifiedOnceForEachCommand() async throws {
        let tokens = try await TestTokens()
        admission = Self.admission(tokens.verifier)
        let token = try tokens.connection("42")
        for _ in 0..<3 { expectEqual(try admission.verified(token).user, "42") }
        expectEqual(admission.counts.tokensVerified, 1)
        admission.grants = Grants()
        expectEqual(try admission.verified(token).user, "42")
        expectEqual(admission.counts.tokensVerified, 2)
    }

    // MARK: Clients

    @Test func clientSubscribesByItsNamespaceOrByAToken() async throws {
        let tokens = try await TestTokens()
        admission = Self.admission(tokens.verifier)
        let session = session()
        session.identity = Identity(user: "42", groups: [])
        var request = SubscribeRequest(commandID: 1, topic: topic("news:a"), since: nil)
        expect(admission.maySubscribe(request, session))
        request = SubscribeRequest(commandID: 1, topic: topic("closed:a"), since: nil)
        request.token = try tokens.subscription("42", "closed:a")
        expect(admission.maySubscribe(request, session))
        expect(!admission.mayRead(topic("closed:a"), session))
        request.token += "x"
        expect(!admission.isGranted(request, session))
    }

    @Test func clientPublishesWhereTheNamespaceAllowsIt() {
        let session = session()
        expect(admission.may(.publish, topic("news:a"), session))
        expect(!admission.may(.publish, topic("told:a"), session))
        guard case .failure(let error) = admission.decide(.publish, on: topic("told:a"), session)
        else { return expect(false) }
        expectEqual(error.code, ProtocolError.permissionDenied.code)
    }

    // MARK: Readers

    private func status(_ target: String, _ fields: [(String, String)] = []) -> Int? {
        do throws(ReaderRefusal) {
            let head = head(target, fields)
            let (request, credentials) = try admission.request(
                head,
                lastEventID: nil,
                from: peer
            )
            let now = MonotonicInstant(nanoseconds: 0)
            _ = try admission.wish(request, credentials, head, from: peer, now: now)
            return nil
        } catch {
            return error.response.head.status
        }
    }

    @Test func readerOfSeveralTopicsMayReadAllOfThem() {
        expectNil(status("/events?topics=news:a,brief:b"))
        expectEqual(status("/events?topics=news:a,closed:b"), 403)
        expectEqual(status("/events?topics=news:a,other:b"), 404)
        expectEqual(status("/events"), 400)
        expectEqual(status("/events?topics=news:a&token=x"), 401)
        expectEqual(admission.counts.tokensRefused.values.reduce(0, +), 1)
    }

    @Test func pageOfAnotherOriginIsRefusedAndCounted() {
        let fields = [("Host", "hub.example.org"), ("Origin", "https://other.example")]
        expectEqual(status("/events?topics=news:a", fields), 403)
        expectEqual(admission.counts.pagesRefused, 1)
    }
}
