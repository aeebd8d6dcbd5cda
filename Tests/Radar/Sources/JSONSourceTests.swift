import Expectations

@testable import Radar

@Suite("Sources of mapped JSON", .timeLimit(.minutes(10)))
struct JSONSourceTests {
    private func source(
        _ mapping: JSONMapping = JSONMapping(),
        url: String = "http://127.0.0.1:9/votes?about={topic}&again={topic}",
        key: ProviderKey? = nil
    ) -> JSONSource {
        JSONSource(name: "votes", key: key, url: url, mapping: mapping)
    }

    private func read(_ body: String, _ mapping: JSONMapping = JSONMapping()) -> StanceSamples? {
        guard
            case .value(let stances, let usage) = source(mapping).stances(
                from: response(200, [:], body)
            )
        else { return nil }
        expectEqual(usage?.total, 0)
        return stances
    }

    private let full = JSONMapping(
        items: "result.rows",
        stance: "vote.word",
        content: "texts.0",
        id: "id",
        confidence: "sure",
        author: "by.name",
        model: "by.kind",
        reasoning: "why",
        forWords: ["Ja", "1"],
        againstWords: ["nei", "false"],
        neutralWords: ["blank"]
    )

    @Test func topicIsPercentEncodedWhereverItStands() throws {
        let request = try require(source().stanceRequest(topic: "Tromsø & 50 %/{topic}~"))
        let topic = "Troms%C3%B8%20%26%2050%20%25%2F%7Btopic%7D~"
        expectEqual(request.url, "http://127.0.0.1:9/votes?about=\(topic)&again=\(topic)")
        expectEqual(request.method, "GET")
        expect(request.body.isEmpty)
        expectEqual(request.headers, [HeaderField("accept", "application/json")])
    }

    @Test func keyIsSentAsASecretBearerToken() {
        let headers = source(key: ProviderKey("k")).stanceRequest(topic: "x")?.headers
        expectEqual(headers?.last, HeaderField("authorization", "Bearer k", isSecret: true))
    }

    @Test func everyFieldIsReadFromItsPath() {
        let body = #"""
            {"result":{"rows":[{"id":41,"vote":{"word":"JA"},"texts":["Good idea."],"sure":0.25,
            "by":{"name":"Kari","kind":"panel"},"why":"It worked elsewhere.","more":1}]}}
            """#
        expectEqual(
            read(body, full),
            StanceSamples([
                StanceSample(
                    externalID: "41",
                    author: "Kari",
                    model: "panel",
                    content: "Good idea.",
                    stance: .for,
                    confidence: 0.25,
                    reasoning: "It worked elsewhere."
                )
            ])
        )
    }

    @Test func fieldsThatTheMappingDoesNotNameHaveDefaults() {
        expectEqual(
            read(#"[{"stance":"no","content":"Bad."}]"#),
            StanceSamples([
                StanceSample(
                    author: "votes",
                    model: "votes",
                    content: "Bad.",
                    stance: .against,
                    confidence: 0.5
                )
            ])
        )
    }

    @Test(arguments: [
        ("\"ja\"", Stance.for), ("1", .for), ("false", .against), ("\"NEI\"", .against),
        ("\"Blank\"", .neutral),
    ])
    func wordsNumbersAndTruthValuesCanBeStances(value: String, stance: Stance) {
        var mapping = full
        mapping.items = ""
        mapping.id = nil
        let body = #"[{"vote":{"word":\#(value)},"texts":["t"],"sure":1}]"#
        expectEqual(read(body, mapping)?.samples.map(\.stance), [stance])
    }

    @Test(arguments: [
        #"{"stance":"perhaps","content":"t","sure":1,"id":"a"}"#,
        #"{"stance":null,"content":"t","sure":1,"id":"a"}"#,
        #"{"stance":["yes"],"content":"t","sure":1,"id":"a"}"#,
        #"{"content":"t","sure":1,"id":"a"}"#,
        #"{"stance":"yes","content":" ","sure":1,"id":"a"}"#,
        #"{"stance":"yes","content":5,"sure":1,"id":"a"}"#,
        #"{"stance":"yes","sure":1,"id":"a"}"#,
        #"{"stance":"yes","content":"t","sure":1.5,"id":"a"}"#,
        #"{"stance":"yes","content":"t","sure":"1","id":"a"}"#,
        #"{"stance":"yes","content":"t","id":"a"}"#,
        #"{"stance":"yes","content":"t","sure":1}"#,
        #"{"stance":"yes","content":"t","sure":1,"id":{}}"#,
        "7", "null", "[]", #""yes""#,
    ])
    func itemThatDoesNotMapIsCountedAndNotInvented(item: String) {
        let mapping = JSONMapping(id: "id", confidence: "sure")
        let good = #"{"stance":"yes","content":"t","sure":1,"id":"b"}"#
        let read = read("[\(item),\(good)]", mapping)
        expectEqual(read?.samples.map(\.externalID), ["b"])
        expectEqual(read?.skippedCount, 1)
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity", "+Infinity"])
    func itemWithABareNonFiniteNumberIsLeftOutAndTheOthersAreRead(number: String) {
        let mapping = JSONMapping(id: "id", confidence: "sure")
        let body = """
            [{"id":"a","stance":"yes","sure":0.7,"content":"NaN \\"NaN\\" -Infinity"},
            {"id":"b","stance":"yes","sure":\(number),"content":"t"},
            {"id":"c","stance":"yes","sure":1,"content":"t","more":[\(number), {"x":\(number)}]}]
            """
        let read = read(body, mapping)
        expectEqual(read?.samples.map(\.externalID), ["a", "c"])
        expectEqual(read?.samples.first?.content, "NaN \"NaN\" -Infinity")
        expectEqual(read?.skippedCount, 1)
    }

    @Test func byteOrderMarkIsSkipped() {
        expectEqual(read("\u{FEFF}[{\"stance\":\"yes\",\"content\":\"t\"}]")?.samples.count, 1)
        expectNil(read("\u{FEFF}\u{FEFF}[]"))
    }

    @Test(arguments: [
        ("<p>It pays off in the <b>second</b> year.</p>", "It pays off in the second year."),
        ("<p>One.</p><p>Two.</p>", "One.\nTwo."), ("One<br/>two", "One\ntwo"),
        ("a &amp; b &lt;c&gt; &#229; &#xE5; &nbsp;!", "a & b <c> å å  !"),
        ("a < b and b > c", "a < b and b > c"), ("Q&A; fish & chips", "Q&A; fish & chips"),
        ("<script>alert('x')</script>Yes.<style>p{}</style>", "Yes."),
        ("<!-- no -->Yes.", "Yes."), ("<a href='x'>link</a> <IMG src=x>", "link"),
        ("<ul><li>one</li><li>two</li></ul>", "one\ntwo"), ("<3 this", "<3 this"),
        ("<script>never closed", "never closed"),
        ("&#0; &#x110000; &nope;", "&#0; &#x110000; &nope;"),
    ])
    func markupIsNoPartOfAnOpinion(content: String, text: String) throws {
        let escaped = content.replacing("\"", with: "\\\"")
        let body =
            #"[{"stance":"yes","content":"\#(escaped)","why":"\#(escaped)","who":"<i>A</i>nn"}]"#
        let mapping = JSONMapping(author: "who", reasoning: "why")
        let sample = try require(read(body, mapping)?.samples.first)
        expectEqual(sample.content, text)
        expectEqual(sample.reasoning, text)
        expectEqual(sample.author, "Ann")
    }

    @Test func wordOfTwoListsIsNoStance() {
        let mapping = JSONMapping(forWords: ["yes", "maybe"], againstWords: ["Maybe"])
        expectNil(mapping.stance(of: "maybe"))
        expectEqual(mapping.stance(of: "YES"), .for)
    }

    @Test func answerHasAtMostAHundredOpinions() {
        let item = #"{"stance":"yes","content":"t"}"#
        for count in [0, 100, 101, 250] {
            let read = read("[" + Array(repeating: item, count: count).joined(separator: ",") + "]")
            expectEqual(read?.samples.count, min(count, 100))
            expectEqual(read?.skippedCount, max(0, count - 100))
        }
    }

    @Test(arguments: [
        "", "{", "<html>", "7", #"{"result":[]}"#, #"{"result":{"rows":{}}}"#,
        #"{"result":{"rows":null}}"#, #"{"result":{"rows":[1}}"#, #"{"result":{"rows":[]}} x"#,
    ])
    func bodyWithoutItsItemsIsGarbage(body: String) {
        let answer = source(full).stances(from: response(200, [:], body))
        expectEqual(answer, .none(.garbage, usage: TokenUsage(inputTokens: 0, outputTokens: 0)))
    }

    @Test func bodyThatIsCutAnywhereIsGarbage() {
        let body = #"[{"stance":"yes","content":"t"},{"stance":"no","content":"u"}]"#
        expectEqual(read(body)?.samples.count, 2)
        for length in 0..<body.utf8.count {
            expectNil(read(String(body.prefix(length))), "cut to \(length) bytes")
        }
    }

    @Test func failuresAreThoseOfTheStatus() {
        expectEqual(
            source().stances(from: response(404)),
            .failure(.permanent(reason: "status 404"))
        )
        expectEqual(
            source().stances(from: response(403)),
            .failure(.disabled(reason: "status 403"))
        )
    }

    @Test func otherMappingOrURLIsAnotherQuestion() {
        let versions = [
            source(), source(full), source(url: "http://127.0.0.1:9/{topic}"),
            source(JSONMapping(forWords: ["for"])), source(JSONMapping(id: "id")),
            source(JSONMapping(author: "id")),
        ].map(\.promptVersion)
        expectEqual(Set(versions).count, versions.count)
        expectEqual(versions[0], source(key: ProviderKey("k")).promptVersion)
        expect(versions.allSatisfy { $0.hasPrefix("json-") && $0.utf8.count == 13 })
    }

    @Test func topicsAreNotInterpreted() {
        expectNil(source().interpretationRequest(topic: "x"))
        expectEqual(
            source().interpretation(from: response()),
            .failure(.permanent(reason: "votes does not interpret topics"))
        )
    }
}
