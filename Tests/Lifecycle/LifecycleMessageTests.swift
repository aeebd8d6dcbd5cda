import Expectations

@testable import Lifecycle

/// Messages between nodes, as notes and back.
@Suite("Lifecycle: messages between nodes", .timeLimit(.minutes(10)))
struct LifecycleMessageTests {
    private static let time = Timestamp(milliseconds: 1_800_000_000_123)

    private static let changes = [
        LifecycleChange(.user("42"), isThere: true, at: time),
        LifecycleChange(.client("c1", user: ""), isThere: false, at: time, reason: .lost),
        LifecycleChange(.topic("chat:1"), isThere: false, at: time),
        LifecycleChange(.member("42", of: "chat:1"), isThere: true, at: time),
    ]

    @Test(arguments: [
        LifecycleMessage.Content.wanted, .changes(changes),
        .everyone(changes, index: 3, isLast: true),
        .everyone(changes, index: 0, isLast: false), .everyone([], index: 0, isLast: true),
    ])
    func isReadAsItWasWritten(_ content: LifecycleMessage.Content) throws {
        let message = LifecycleMessage(process: "p1", content: content)
        try expectEqual(LifecycleMessage.message(try message.note()), message)
    }

    @Test func anotherNoteIsNone() throws {
        try expectNil(LifecycleMessage.message(ClusterNote(kind: "presence", body: [])))
    }

    @Test func aNoteThatCannotBeReadIsAnError() {
        #expect(throws: DecodingError.self) {
            try LifecycleMessage.message(ClusterNote(kind: "lifecycle", body: Array("{".utf8)))
        }
    }

    /// A later version may have more kinds of subjects, and of messages.
    @Test func unknownKindsAreLeftOut() throws {
        let row =
            #"{"k":9,"n":"x","i":true,"t":0},{"k":2,"n":"x","u":"x","i":false,"t":0,"r":"bored"}"#
        let body = #"{"process":"p","content":"changes","changes":[\#(row)]}"#
        let note = ClusterNote(kind: "lifecycle", body: Array(body.utf8))
        let change = LifecycleChange(.user("x"), isThere: false, at: Timestamp(milliseconds: 0))
        try expectEqual(LifecycleMessage.message(note)?.content, .changes([change]))
        let other = ClusterNote(
            kind: "lifecycle",
            body: Array(#"{"process":"p","content":"else"}"#.utf8)
        )
        try expectNil(LifecycleMessage.message(other))
    }

    @Test func aLongListIsSeveralMessages() {
        let max = LifecycleMessage.countMax
        let all = (0...max).map {
            LifecycleChange(.user("u\($0)"), isThere: true, at: Self.time)
        }
        let messages = LifecycleMessage.messages(.everyone(all), of: "p")
        expectEqual(messages.count, 2)
        expectEqual(messages[0].content, .everyone(Array(all.prefix(max)), index: 0, isLast: false))
        expectEqual(messages[1].content, .everyone([all[max]], index: 1, isLast: true))
        expectEqual(
            LifecycleMessage.messages(.everyone([]), of: "p").map(\.content),
            [.everyone([], index: 0, isLast: true)]
        )
        expectEqual(LifecycleMessage.messages(.changes(all), of: "p").count, 2)
    }
}
