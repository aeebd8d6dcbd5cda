import Expectations
import Foundation
import HubTesting
import LoopTesting

@testable import Hooks

@Suite("Hooks: calls of a real server", .timeLimit(.minutes(10)))
struct HookCallerTests {
    private static let topic = Topic(trusted: "chat:1")
    private static let client = HookClient(
        id: "c",
        transport: "websocket",
        protocolName: "json",
        user: "ann"
    )

    private func caller(
        _ url: String,
        _ change: (inout HooksSection.Hook) -> Void = { _ in }
    ) -> HookCaller {
        var hook = HooksSection.Hook()
        hook.name = "app"
        hook.url = url
        hook.timeout = .seconds(20)
        change(&hook)
        return HookCaller(hook, userAgent: "varde/test", isSampled: true, logger: silentLogger)
    }

    private func question(
        _ subject: HookQuestion.Subject = .publish(topic, data: [49]),
        _ headers: [HookQuestion.Header] = []
    ) -> HookQuestion {
        HookQuestion(subject, of: Self.client, headers: headers)
    }

    private func ask(_ caller: HookCaller, _ question: HookQuestion) async -> HookOutcome {
        await withCheckedContinuation { continuation in
            caller.ask(question) { continuation.resume(returning: $0) }
        }
    }

    // MARK: The request

    @Test func questionIsASignedPostToTheURLOfItsEvent() async throws {
        let key = Array("a key of twenty-four bytes".utf8.prefix(24))
        let secret = WebhookSecret(key: key)
        try await ScriptedServer.run(script: [.json(#"{"result":{"data":[3]}}"#)]) { server in
            let caller = caller(server.url + "/realtime/{event}?v=1") {
                $0.secret = Secret(secret.revealed)
                $0.headers = ["Cookie", "X-Tenant"]
            }
            let headers = [
                HookQuestion.Header("Cookie", "a=1"), .init("x-tenant", "t"),
                .init("X-Other", "o"),
            ]
            let question = question(.rpc(method: "sum", data: [49]), headers)
            await expectEqual(ask(caller, question), .success(.rpc(Array("[3]".utf8))))
            var requests = server.requests.makeAsyncIterator()
            let request = try await require(requests.next())
            expectEqual(request.head.method, "POST")
            expectEqual(request.head.target, "/realtime/rpc?v=1")
            let fields = request.head.headers
            expectEqual(fields.first("Content-Type"), "application/json")
            expectEqual(fields.first("User-Agent"), "varde/test")
            expectEqual(fields.first("Cookie"), "a=1")
            expectEqual(fields.first("X-Tenant"), "t")
            expectNil(fields.first("X-Other"))
            expect(fields.first("traceparent") != nil)
            expectEqual(request.body, question.body)
            let id = try require(fields.first("webhook-id"))
            let time = try require(fields.first("webhook-timestamp").flatMap { Int64($0) })
            expect(abs(time - HubClock.wall.wholeSeconds) < 60)
            expectEqual(
                fields.first("webhook-signature"),
                secret.signature(id: id, timestamp: time, body: question.body)
            )
        }
    }

    @Test func questionWithoutASecretIsNotSigned() async throws {
        try await ScriptedServer.run(script: [.json("{}")]) { server in
            let caller = caller(server.url + "/{event}")
            await expectEqual(ask(caller, question(.subRefresh(Self.topic))), .success(expired))
            var requests = server.requests.makeAsyncIterator()
            let request = try await require(requests.next())
            expectEqual(request.head.target, "/sub_refresh")
            expectNil(request.head.headers.first("webhook-signature"))
        }
    }

    private var expired: HookAnswer {
        var refresh = HookRefresh()
        refresh.hasExpired = true
        return .refresh(refresh)
    }

    // MARK: Faults

    @Test(arguments: [
        (ScriptedServer.Answer.status(500), HookFault.status(500)),
        (.status(404), .status(404)),
        (.status(302, ["Location": "/other"]), .status(302)),
        (.status(200, body: Array("<html>".utf8)), .body("the body is not a JSON object")),
        (.status(204), .body("the body is not a JSON object")),
        (
            .json(#"{"error":{"message":"no code"}}"#),
            .body("error.code is missing or cannot be used")
        ),
    ])
    func answerThatIsNoneIsAFault(answer: ScriptedServer.Answer, fault: HookFault) async throws {
        try await ScriptedServer.run(script: [answer]) { server in
            let caller = caller(server.url + "/{event}")
            await expectEqual(ask(caller, question()), .failure(fault))
            expectEqual(caller.state.sortedCounts.map(\.key.result), [fault.word])
        }
    }

    @Test func answerOverAMebibyteIsAFault() async throws {
        let data = String(repeating: "x", count: 2 << 20)
        try await ScriptedServer.run(script: [.json(#"{"result":{"data":"\#(data)"}}"#)]) {
            let caller = caller($0.url)
            let outcome = await ask(caller, question())
            guard case .failure(.connection(let text)) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            expect(text.contains("1048576"))
        }
    }

    @Test func serverThatDoesNotAnswerIsNotWaitedFor() async throws {
        try await ScriptedServer.run(script: [.never]) { server in
            let caller = caller(server.url) { $0.timeout = .milliseconds(100) }
            await expectEqual(ask(caller, question()), .failure(.timeout))
        }
        // Nothing listens there any more.
        let url = try await ScriptedServer.run(script: [.never]) { $0.url }
        guard case .failure(.connection) = await ask(caller(url), question()) else {
            Issue.record("a server that is gone has answered")
            return
        }
    }

    @Test func redirectReachesNothing() async throws {
        try await ScriptedServer.run(script: [.json("{}")]) { other in
            let move = ScriptedServer.Answer.status(307, ["Location": other.url + "/stolen"])
            try await ScriptedServer.run(script: [move]) { server in
                await expectEqual(ask(caller(server.url), question()), .failure(.status(307)))
            }
            // The next request is the first that it sees.
            _ = await ask(caller(other.url + "/next"), question())
            var requests = other.requests.makeAsyncIterator()
            await expectEqual(requests.next()?.head.target, "/next")
        }
    }

    @Test(arguments: ["169.254.169.254", "127.0.0.1", "::1", "fe80::1", "0.0.0.0", "224.0.0.1"])
    func nameNeverLeadsToThisMachineOrItsLink(address: String) throws {
        let address = try require(IPAddress(address))
        func reach(_ url: String) -> AddressGuard {
            var hook = HooksSection.Hook()
            hook.url = url
            return HookCaller.reach(of: hook)
        }
        expect(reach("https://app.example.org/{event}").refusal(of: address) != nil)
        expect(reach("http://10.0.0.7/{event}").refusal(of: address) != nil)
        for reachable in ["10.1.2.3", "192.168.1.1", "172.20.0.2", "93.184.216.34", "fd00::1"] {
            let reachable = try require(IPAddress(reachable))
            expectNil(reach("http://app:3000/{event}").refusal(of: reachable))
        }
    }

    // MARK: Storms

    @Test func callsAtTheSameTimeAreBounded() async throws {
        let running = Locked((now: 0, most: 0, all: 0))
        let gate = ScriptedServer.Gate()
        try await ScriptedServer.run(
            answer: { _ in
                running.withLock {
                    $0.now += 1
                    $0.all += 1
                    $0.most = max($0.most, $0.now)
                }
                return .held(gate, ServerResponse(status: 200, text: "{}"))
            },
            { server in
                let caller = caller(server.url) {
                    $0.concurrency = 3
                    $0.queue = 5
                }
                let outcomes = await withTaskGroup(of: HookOutcome.self) { group in
                    for _ in 1...12 { group.addTask { await ask(caller, question()) } }
                    var refused: [HookOutcome] = []
                    while refused.count < 4, let next = await group.next() { refused.append(next) }
                    expect(refused.allSatisfy { $0 == .failure(.tooMany) })
                    running.withLock { expect($0.most <= 3) }
                    gate.open()
                    var outcomes: [HookOutcome] = []
                    for await outcome in group { outcomes.append(outcome) }
                    return outcomes
                }
                expectEqual(outcomes.count, 8)
                expect(outcomes.allSatisfy { $0 == .success(.publish(HookPublication())) })
                expectEqual(running.withLock { $0.all }, 8)
            }
        )
    }

    @Test func equalQuestionsAreAskedOnceAndKept() async throws {
        let count = Locked(0)
        try await ScriptedServer.run(
            answer: { _ in
                count.withLock { $0 += 1 }
                return .json(#"{"result":{"user":"ann"}}"#)
            },
            { server in
                let caller = caller(server.url) { $0.cache = .seconds(60) }
                let question = question(.connect(.init(name: "js")))
                for _ in 1...20 {
                    guard case .success(.connect(let answer)) = await ask(caller, question) else {
                        Issue.record("no answer")
                        return
                    }
                    expectEqual(answer.user, "ann")
                }
                expectEqual(count.withLock { $0 }, 1)
                expectEqual(
                    caller.state.counts,
                    [
                        .init(event: .connect, result: "kept"): 19,
                        .init(event: .connect, result: "result"): 1,
                    ]
                )
            }
        )
    }
}
