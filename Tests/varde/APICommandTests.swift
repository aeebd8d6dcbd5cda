import CommandKit
import Expectations
import Foundation
import LoopTesting

@testable import varde

@Suite("varde topics, history, publish, clients: what is asked for", .timeLimit(.minutes(10)))
struct APIRequestTests {
    /// The method and the content, as one text.
    private func request(
        _ arguments: [String],
        standardInput: String = ""
    ) throws -> String {
        let command = try require(Varde.parseAsRoot(arguments) as? any APICommand)
        let (method, body) = try command.request { Array(standardInput.utf8) }
        return method + " " + String(decoding: body, as: UTF8.self)
    }

    @Test(
        arguments: [
            (["topics"], "channels {}"),
            (["topics", "chat:*"], #"channels {"pattern":"chat:*"}"#),
            (["history", "chat:a"], #"history {"channel":"chat:a","limit":-1}"#),
            (["history", "chat:a", "--limit", "0"], #"history {"channel":"chat:a","limit":0}"#),
            (
                ["history", "a", "--limit", "5", "--since", "7", "--epoch", "e", "--reverse"],
                #"history {"channel":"a","limit":5,"since":{"offset":7,"epoch":"e"},"reverse":true}"#
            ),
            (
                ["publish", "chat:a", #" {"n": 1} "#],
                #"publish {"channel":"chat:a","data":{"n": 1}}"#
            ),
            (["publish", "chat:a", "null"], #"publish {"channel":"chat:a","data":null}"#),
            (
                [
                    "publish", "a", "1", "--tag", "k=v", "--tag", "x=y=\"", "--tag", "z=",
                    "--idempotency-key", "i", "--skip-history", "--delta",
                ],
                #"publish {"channel":"a","data":1,"tags":{"k":"v","x":"y=\"","z":""},"#
                    + #""idempotency_key":"i","skip_history":true,"delta":true}"#
            ),
            (["clients"], "info {}"),
            (["clients", "chat:a"], #"presence {"channel":"chat:a"}"#),
        ] as [([String], String)]
    )
    func argumentsBecomeARequest(arguments: [String], expected: String) throws {
        try expectEqual(request(arguments), expected)
    }

    @Test func dataComesFromStandardInput() throws {
        try expectEqual(
            request(["publish", "a", "-"], standardInput: "[1,\n 2]\n"),
            "publish {\"channel\":\"a\",\"data\":[1,\n 2]}"
        )
    }

    @Test(arguments: [
        ["publish", "a"], ["publish", "a", "hello"], ["publish", "a", "{"], ["publish", "a", ""],
        ["publish", "a b", "1"], ["publish", "a", "1", "--tag", "k"],
        ["publish", "a", "1", "--tag", "=v"],
        ["publish", "a", "1", "--tag", "k=1", "--tag", "k=2"],
        ["history"], ["history", "a,b"], ["history", "a", "--since", "1"],
        ["history", "a", "--epoch", "e"], ["history", "a", "--limit", "-1"],
        ["clients", "a b"], ["topics", "a", "b"], ["topics", "--api-key", "k"],
    ])
    func argumentsThatDoNotFitAreUsageErrors(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try request(arguments) }
        expectEqual(error.map { Varde.exitCode(for: $0) }, .validationFailure)
    }

    // MARK: Where, and with which key

    private func client(
        _ arguments: [String] = [],
        _ environment: [String: String]
    ) throws -> APIClient {
        try APIOptions.parse(arguments).client(environment: environment)
    }

    @Test func hubIsTheOneOfTheArgumentElseOfTheVariableElseTheUsualOne() throws {
        let key = ["VARDE_API_KEY": "k"]
        let variables = key.merging(["VARDE_URL": "https://hub.example"]) { $1 }
        try expectEqual(client(key).url, ServerURL("http://127.0.0.1:8000"))
        try expectEqual(client(variables).url, ServerURL("https://hub.example"))
        try expectEqual(
            client(["--url", "http://[::1]:9000"], variables).url,
            ServerURL("http://[::1]:9000")
        )
        try expectEqual(client(variables).isInsecure, false)
        try expect(client(["--insecure"], variables).isInsecure)
    }

    @Test func keyIsTheOneOfTheFileElseOfTheVariable() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try "of-the-file\n".write(to: file, atomically: true, encoding: .utf8)
        let variable = ["VARDE_API_KEY": "of-the-variable"]
        try expectEqual(client(variable).key, "of-the-variable")
        try expectEqual(client(["--api-key-file", file.path], variable).key, "of-the-file")
    }

    @Test(arguments: ["", " ", "sha256:00ff", "two words", "a\nb", "æ"])
    func whatIsNoKeyIsRefusedWithoutBeingShown(key: String) {
        let error = #expect(throws: ValidationError.self) { try client(["VARDE_API_KEY": key]) }
        if key.count > 1 { expectEqual(error?.message.contains(key), false) }
    }

    @Test func whatIsNoAddressIsRefused() {
        #expect(throws: ValidationError.self) {
            try client(["--url", "hub.example"], ["VARDE_API_KEY": "k"])
        }
    }

    private func client(_ environment: [String: String]) throws -> APIClient {
        try client([], environment)
    }
}

@Suite("varde topics, history, publish, clients: what is printed", .timeLimit(.minutes(10)))
struct APIOutputTests {
    private func text(_ arguments: [String], _ result: String) throws -> String? {
        let command = try require(Varde.parseAsRoot(arguments) as? any APICommand)
        return APIFields(Array(result.utf8)[...]).flatMap { command.text(of: $0) }
    }

    @Test func topicsAreSortedAndCounted() throws {
        try expectEqual(
            text(
                ["topics"],
                #"{"channels":{"chat:room":{"num_clients":12},"a":{"num_clients":1}}}"#
            ),
            """
            TOPIC      SUBSCRIBERS
            a          1
            chat:room  12
            """
        )
        try expectEqual(text(["topics"], #"{"channels":{}}"#), "no topic has subscribers")
    }

    @Test func historyIsALineForEachPublicationAndThePosition() throws {
        try expectEqual(
            text(
                ["history", "a"],
                #"{"publications":[{"data":{"n":1},"offset":9},{"data":"two","offset":10,"#
                    + #""tags":{"b":"2","a":"1"},"info":{"user":"42","client":"c"}}],"#
                    + #""offset":10,"epoch":"e"}"#
            ),
            """
            9   {"n":1}
            10  "two"    a=1 b=2 by 42
            at offset 10, epoch e
            """
        )
        try expectEqual(
            text(["history", "a"], #"{"publications":[],"offset":0,"epoch":"e"}"#),
            "at offset 0, epoch e"
        )
    }

    @Test func publicationIsToldItsPlace() throws {
        try expectEqual(
            text(["publish", "a", "1"], #"{"offset":5,"epoch":"e"}"#),
            "published at offset 5, epoch e"
        )
        try expectEqual(
            text(["publish", "a", "1"], #"{"offset":0,"epoch":""}"#),
            "published, and kept in no history"
        )
    }

    @Test func presenceIsSortedByUser() throws {
        try expectEqual(
            text(
                ["clients", "a"],
                #"{"presence":{"c2":{"user":"","client":"c2"},"c1":{"user":"42","client":"c1","#
                    + #""conn_info":{"n":1},"chan_info":[1]}}}"#
            ),
            """
            USER  CLIENT  OF THE CONNECTION  OF THE TOPIC
            -     c2
            42    c1      {"n":1}            [1]
            """
        )
        try expectEqual(text(["clients", "a"], #"{"presence":{}}"#), "no client is in the topic")
    }

    @Test func hubAsAWholeIsCounted() throws {
        try expectEqual(
            text(
                ["clients"],
                #"{"nodes":[{"uid":"u","name":"varde","version":"0.1.0","num_clients":3,"#
                    + #""num_users":2,"num_subs":5,"num_channels":4,"uptime":93784}]}"#
            ),
            """
            NODE   VERSION  CLIENTS  USERS  SUBSCRIPTIONS  TOPICS  UP
            varde  0.1.0    3        2      5              4       1d 2h
            """
        )
    }

    @Test(arguments: [
        (["topics"], "{}"), (["history", "a"], #"{"publications":[]}"#),
        (["publish", "a", "1"], "{}"),
        (["clients"], #"{"nodes":[]}"#), (["clients", "a"], #"{"nodes":[]}"#),
    ])
    func resultOfAnotherKindIsNotUnderstood(arguments: [String], result: String) throws {
        try expectNil(text(arguments, result))
    }

    @Test(
        arguments: [
            (0, "0s"), (59, "59s"), (60, "1m 0s"), (3661, "1h 1m"), (86_400, "1d 0h"),
        ] as [(UInt64, String)]
    )
    func durationHasItsTwoLargestUnits(seconds: UInt64, text: String) {
        expectEqual(ClientsCommand.duration(seconds: seconds), text)
    }

    @Test func dataSteersNoTerminal() {
        expectEqual(
            TerminalText.oneLine("{\n\t\"a\": \"\u{9B}31m\u{7F}é\u{1B}[0m\"}"),
            #"{  "a": "\u009b31m\u007fé\u001b[0m"}"#
        )
    }

    @Test(arguments: [
        ("\u{202E}", "202e"), ("\u{202A}", "202a"), ("\u{2066}", "2066"), ("\u{2069}", "2069"),
        ("\u{200F}", "200f"), ("\u{61C}", "061c"), ("\u{2028}", "2028"), ("\u{85}", "0085"),
        ("\u{0}", "0000"),
    ])
    func hiddenScalarsBecomeEscapes(scalar: String, digits: String) {
        expectEqual(TerminalText.oneLine("a\(scalar)b"), "a\\u\(digits)b")
        expectEqual(TerminalText.visible("a\(scalar)b"), "a\\u\(digits)b")
    }

    @Test func linesAndJoinedEmojiStay() {
        expectEqual(TerminalText.visible("a\n\tb 👩\u{200D}🚀\r"), "a\n\tb 👩\u{200D}🚀\\u000d")
    }

    @Test func columnsStandBelowEachOtherAndLinesEndWithoutSpaces() {
        expectEqual(
            TerminalText.table([["a", "b", "c"], ["long", ""], ["é", "", "x"]]),
            "a     b  c\nlong\né        x"
        )
        expectEqual(TerminalText.table([]), "")
    }

    // MARK: Answers

    private func failure(_ status: Int, _ body: String) throws -> String? {
        let error = #expect(throws: Failure.self) {
            try APIAnswer.result(status: status, body: Array(body.utf8))
        }
        return error?.description
    }

    @Test func resultIsPassedOnAsItCame() throws {
        let result = try APIAnswer.result(status: 200, body: Array(#"{"result": {"a" :1}}"#.utf8))
        expectEqual(String(decoding: result, as: UTF8.self), #"{"a" :1}"#)
    }

    @Test func refusalsSayWhy() throws {
        try expectEqual(
            failure(200, #"{"error":{"code":107,"message":"channel: expected a string"}}"#),
            "refused: channel: expected a string (107)"
        )
        try expectEqual(
            failure(401, "the API key is not known\n"),
            "refused: the API key is not known"
        )
        try expectEqual(failure(401, ""), "refused: the hub wants another key")
        try expectEqual(failure(404, "not found"), "there is no such API; is it a hub?")
        try expectEqual(failure(413, "too long\nmore"), "answered with status 413: too long")
        try expectEqual(failure(200, "<html>"), "what answers is not a hub's API")
        try expectEqual(failure(200, "{}"), "what answers is not a hub's API")
        try expectEqual(failure(503, "\u{1B}[2J"), #"answered with status 503: \u001b[2J"#)
    }
}
