import ClientWire
import Expectations

@Suite("Patterns of topics", .timeLimit(.minutes(10)))
struct TopicGlobTests {
    @Test(arguments: [
        ("*", "chat:1", true), ("**", "chat:1", true), ("", "chat:1", false),
        ("chat:1", "chat:1", true), ("chat:1", "chat:10", false), ("chat:1", "xchat:1", false),
        ("chat:*", "chat:", true), ("chat:*", "chat:1", true), ("chat:*", "chats:1", false),
        ("*:1", "a:b:1", true), ("*:1", "a:1:2", false), ("*1*", "a:1:2", true),
        ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-c-b", false), ("*ab", "aab", true),
        ("chat:?", "chat:1", true), ("chat:?", "chat:", false), ("chat:?", "chat:12", false),
        ("[a-c]x", "bx", true), ("[a-c]x", "dx", false), ("[!a-c]x", "dx", true),
        ("[!a-c]x", "ax", false), ("[xyz]", "y", true), ("[]]", "]", true), ("[a-]", "-", true),
        ("[a-]", "b", false), (#"\*"#, "*", true), (#"\*"#, "a", false), (#"\[a]"#, "[a]", true),
        ("*:*:*", "a:b", false), ("*:*:*", "a:b:c", true),
    ])
    func topicMatchesAsAWhole(pattern: String, topic: String, isMatch: Bool) throws {
        try expectEqual(TopicGlob(pattern).matches(Topic(trusted: topic)), isMatch)
    }

    @Test(arguments: ["[", "[a", "[!", "[a-", "[c-a]", #"a\"#])
    func patternWithoutItsEndIsRefused(pattern: String) {
        #expect(throws: TopicGlobError.unfinished) { try TopicGlob(pattern) }
    }

    @Test func alternativesAreRefused() {
        #expect(throws: TopicGlobError.alternatives) { try TopicGlob("{a,b}") }
    }

    @Test func patternIsAsLongAsATopic() {
        #expect(throws: Never.self) { try TopicGlob(String(repeating: "a", count: 255)) }
        #expect(throws: TopicGlobError.tooLong(length: 256)) {
            try TopicGlob(String(repeating: "a", count: 256))
        }
    }

    @Test func everythingIsEveryTopic() {
        expect(TopicGlob.everything.matches(Topic(trusted: "a")))
    }

    /// The worst of patterns: every `*` could end anywhere.
    @Test func patternOfManyTextsMatchesInLittleTime() throws {
        let pattern = String(repeating: "*a", count: 127) + "b"
        let topic = Topic(trusted: String(repeating: "a", count: 255))
        try expect(!TopicGlob(pattern).matches(topic))
    }
}
