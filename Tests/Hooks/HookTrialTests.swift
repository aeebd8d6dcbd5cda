import Expectations
import Foundation
import HubTesting
import LoopTesting

@testable import Hooks

@Suite("Hooks: one question of an operator", .timeLimit(.minutes(10)))
struct HookTrialTests {
    private func configuration(_ url: String) -> Configuration {
        var hook = HooksSection.Hook()
        (hook.name, hook.url, hook.timeout) = ("app", url, .seconds(20))
        hook.headers = ["Cookie"]
        var section = HooksSection()
        section.items = [hook]
        var configuration = Configuration()
        configuration[HooksSection.self] = section
        return configuration
    }

    private func trial(
        _ event: String,
        _ url: String = "http://127.0.0.1:1/{event}",
        name: String = "app",
        _ change: (inout HookTrial.Question) -> Void = { _ in }
    ) throws(HookTrial.Problem) -> HookTrial {
        var question = HookTrial.Question(event: event)
        change(&question)
        return try HookTrial(
            question,
            to: name,
            of: configuration(url),
            userAgent: "varde/test"
        )
    }

    private func report(_ answer: ScriptedServer.Answer) async throws -> ([String: Any], Bool) {
        try await ScriptedServer.run(script: [answer]) { server in
            let trial = try trial("subscribe", server.url + "/{event}") {
                ($0.user, $0.topic, $0.data) = ("ann", "chat:1", #"{"k":1}"#)
                $0.headers = [("Cookie", "a=1"), ("X-Other", "o")]
            }
            let (text, isAnswered) = await trial.run()
            expect(!text.contains("\n"))
            var requests = server.requests.makeAsyncIterator()
            let request = try await require(requests.next())
            expectEqual(request.head.target, "/subscribe")
            expectEqual(request.head.headers.first("Cookie"), "a=1")
            expectNil(request.head.headers.first("X-Other"))
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
            let report = try require(object as? [String: Any])
            let question = try require(report["question"] as? [String: Any])
            expectEqual(question["channel"] as? String, "chat:1")
            expectEqual(question["user"] as? String, "ann")
            return (report, isAnswered)
        }
    }

    @Test func answerIsShownWithTheQuestion() async throws {
        let (report, isAnswered) = try await report(.json("{\"result\":\n{\"data\":[3]}}"))
        expect(isAnswered)
        expectEqual(report["hook"] as? String, "app")
        expectEqual(report["result"] as? String, "yes")
        let answer = try require(report["answer"] as? [String: [String: [Int]]])
        expectEqual(answer, ["result": ["data": [3]]])
    }

    @Test func answerThatIsNoneIsShownAsItIs() async throws {
        let (report, isAnswered) = try await report(.json("<h1>no</h1>"))
        expect(!isAnswered)
        expectEqual(report["text"] as? String, "<h1>no</h1>")
        expectEqual((report["fault"] as? String)?.isEmpty, false)
    }

    @Test func applicationThatIsAwayIsAFault() async throws {
        let (text, isAnswered) = try await trial("connect").run()
        expect(!isAnswered)
        expect(text.contains(#""fault":""#), "\(text)")
    }

    struct Wrong: Sendable {
        var event: String
        var name = "app"
        var change: @Sendable (inout HookTrial.Question) -> Void = { _ in }
        var problem: String
    }

    @Test(arguments: [
        Wrong(event: "connect", name: "b", problem: "no hook b; expected app"),
        Wrong(
            event: "conect",
            problem: "no event conect; expected one of connect, refresh, subscribe, sub_refresh,"
                + " publish, rpc, cache_empty"
        ),
        Wrong(event: "subscribe", problem: "subscribe needs --channel TOPIC"),
        Wrong(
            event: "publish",
            change: { $0.topic = "no topic" },
            problem: "publish needs --channel TOPIC; \"no topic\" is none"
        ),
        Wrong(event: "rpc", problem: "rpc needs --method"),
        Wrong(event: "connect", change: { $0.data = "{" }, problem: "--data is no JSON: {"),
    ])
    func questionThatCannotBeAsked(wrong: Wrong) {
        let error = #expect(throws: HookTrial.Problem.self) {
            try trial(wrong.event, name: wrong.name, wrong.change)
        }
        expectEqual(error?.description, wrong.problem)
    }
}
