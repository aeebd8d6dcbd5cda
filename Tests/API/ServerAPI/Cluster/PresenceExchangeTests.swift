import Expectations
import Loops
import Store

@testable import API

@Suite("Presence of several nodes", .timeLimit(.minutes(1)))
struct PresenceExchangeTests {
    private let room = Topic(trusted: "room:1")

    private func change(
        _ client: String,
        isJoin: Bool = true,
        info: String? = nil
    ) -> PresenceMessage.Change {
        PresenceMessage.Change(
            PresenceChange(
                topic: room,
                info: ClientInfo(
                    user: "u",
                    client: client,
                    connectionInfo: info.map { Array($0.utf8) },
                    topicInfo: nil
                ),
                isJoin: isJoin,
                isPresent: true,
                isAnnounced: true
            )
        )
    }

    /// A join of this length.
    private func change(_ client: String, of length: Int) -> PresenceMessage.Change {
        var change = change(client)
        // The texts count as they are.
        change.info = ClientInfo(
            user: String(repeating: "u", count: length - change.length + 1),
            client: client
        )
        return change
    }

    private func message(_ content: PresenceMessage.Content) -> PresenceMessage {
        PresenceMessage(process: "p", content: content)
    }

    /// The leave that others are shown of a client that had joined.
    private func left(_ client: String) -> PresenceMessage.Change {
        var left = change(client)
        left.isJoin = false
        return left
    }

    // MARK: Messages

    @Test func messagesComeBack() throws {
        let contents: [PresenceMessage.Content] = [
            .wanted, .changes([change("a", info: "{}"), change("b", isJoin: false)]),
            .snapshot([], isFirst: true, isLast: true),
            .snapshot([change("a")], isFirst: false, isLast: true),
        ]
        for content in contents {
            let note = try message(content).note()
            try expectEqual(PresenceMessage.message(note), message(content))
        }
        try expectNil(PresenceMessage.message(ClusterNote(kind: "other", body: [])))
        #expect(throws: DecodingError.self) {
            try PresenceMessage.message(ClusterNote(kind: PresenceMessage.kind, body: [1]))
        }
    }

    // MARK: Outbox

    @Test func changesAreSentInOrderAndOnce() {
        var outbox = PresenceOutbox()
        expectNil(outbox.take())
        outbox.note(change("a"))
        outbox.note(change("b"))
        outbox.note(change("a", isJoin: false))
        let changes = [change("a"), change("b"), change("a", isJoin: false)]
        expectEqual(outbox.take(), .changes(changes))
        expectNil(outbox.take())
    }

    /// Changes that fill a message exactly are one; one byte more makes two.
    @Test(arguments: [0, 1]) func messagesAreBoundedInBytes(excess: Int) {
        var outbox = PresenceOutbox()
        let small = change("a")
        let rest = PresenceOutbox.messageBytesMax - small.length + excess
        outbox.note(small)
        outbox.note(change("b", of: rest))
        expectEqual(
            outbox.take(),
            .changes(excess == 0 ? [small, change("b", of: rest)] : [small])
        )
        expectEqual((outbox.take() == nil), (excess == 0))
        expectNil(outbox.take())
    }

    @Test func oneChangeMayExceedAMessage() {
        var outbox = PresenceOutbox()
        let large = change("a", of: 2 * PresenceOutbox.messageBytesMax)
        outbox.note(large)
        outbox.note(large)
        expectEqual(outbox.take(), .changes([large]))
        expectEqual(outbox.take(), .changes([large]))
        expectNil(outbox.take())
    }

    /// The other nodes have the rest of a client that leaves.
    @Test func leavesHaveOnlyTheNameOfTheClient() {
        expectEqual(change("a", isJoin: false, info: "{}").info, ClientInfo(user: "", client: "a"))
        expectEqual(change("a", info: "{}").info.user, "u")
    }

    /// A snapshot takes the place of what waits; what comes meanwhile follows it.
    @Test func snapshotHasWhatIsThere() {
        var outbox = PresenceOutbox()
        outbox.note(change("a"))
        outbox.note(change("b"))
        outbox.note(change("a", isJoin: false))
        outbox.requestSnapshot()
        expectEqual(outbox.take(), .snapshot([change("b")], isFirst: true, isLast: true))
        outbox.note(change("c"))
        expectEqual(outbox.take(), .changes([change("c")]))
        expectNil(outbox.take())
    }

    @Test func longSnapshotHasPartsAndChangesFollowIt() {
        var outbox = PresenceOutbox()
        let half = PresenceOutbox.messageBytesMax / 2 + 1
        for client in ["a", "b", "c"] { outbox.note(change(client, of: half)) }
        outbox.requestSnapshot()
        guard case .snapshot(let first, isFirst: true, isLast: false) = outbox.take() else {
            Issue.record("no first part")
            return
        }
        outbox.note(change("late"))
        guard case .snapshot(let second, isFirst: false, isLast: false) = outbox.take(),
            case .snapshot(let third, isFirst: false, isLast: true) = outbox.take()
        else {
            Issue.record("no further parts")
            return
        }
        expectEqual(Set((first + second + third).map(\.info.client)), ["a", "b", "c"])
        expectEqual(outbox.take(), .changes([change("late")]))
    }

    /// At the limit the changes themselves are sent, one byte above it a snapshot.
    @Test(arguments: [0, 1]) func tooManyChangesBecomeASnapshot(excess: Int) {
        var outbox = PresenceOutbox()
        let half = PresenceOutbox.waitingBytesMax / 2
        outbox.note(change("a", of: half))
        outbox.note(change("a", of: half + excess))
        switch outbox.take() {
        case .changes(let changes): expect(excess == 0 && changes.count == 1)
        case .snapshot(let changes, isFirst: true, isLast: true):
            expect(excess == 1 && changes == [change("a", of: half + 1)])
        default: Issue.record("neither changes nor a snapshot")
        }
    }

    // MARK: Other nodes

    @Test func joinsAndLeavesAreShownOnce() {
        var remote = RemotePresence()
        expectEqual(remote.apply(message(.changes([change("a")]))), [change("a")])
        expectEqual(remote.processes, ["p"])
        let leave = change("a", isJoin: false)
        expectEqual(remote.apply(message(.changes([leave, leave]))), [left("a")])
        expectEqual(remote.processes, [])
        expectEqual(remote.apply(message(.wanted)), [])
    }

    @Test func snapshotShowsOnlyWhatDiffers() {
        var remote = RemotePresence()
        _ = remote.apply(message(.changes([change("a"), change("b"), change("c")])))
        let first = remote.apply(
            message(.snapshot([change("b"), change("d")], isFirst: true, isLast: false))
        )
        expectEqual(first, [change("d")])
        let last = remote.apply(
            message(.snapshot([change("c", info: "{}")], isFirst: false, isLast: true))
        )
        // Other information is shown, but is not a join.
        var replaced = change("c", info: "{}")
        replaced.isAnnounced = false
        expectEqual(last, [replaced, left("a")])
        expectEqual(remote.apply(message(.snapshot([], isFirst: true, isLast: true))).count, 3)
        expectEqual(remote.processes, [])
    }

    @Test func anEndedProcessLeavesEverything() {
        var remote = RemotePresence()
        _ = remote.apply(message(.changes([change("a"), change("b")])))
        let leaves = remote.remove("p")
        expectEqual(Set(leaves.map(\.info.client)), ["a", "b"])
        expect(leaves.allSatisfy { !$0.isJoin })
        expectEqual(remote.remove("p"), [])
    }

    /// A node that was suspended may send its clients before it counts as living again.
    @Test func removedProcessThatIsLivingIsAskedAgain() {
        var remote = RemotePresence()
        remote.noteAsked()
        remote.note(living: ["p", "q"])
        var found = [remote.isSnapshotWanted]
        _ = remote.apply(message(.changes([change("a")])))
        _ = remote.remove("p")
        for living in [["q"], ["p", "q"]] as [Set<String>] {
            remote.note(living: living)
            found.append(remote.isSnapshotWanted)
        }
        expectEqual(found, [false, false, true])
    }

    /// A question that the store refused is not in the log, so no node has answered it.
    @Test func questionStaysUntilItWasAsked() {
        var remote = RemotePresence()
        expect(remote.isSnapshotWanted)
        remote.noteAsked()
        expect(!remote.isSnapshotWanted)
        _ = remote.remove("p")
        remote.note(living: ["p"])
        remote.note(living: ["p"])
        expect(remote.isSnapshotWanted)
        remote.noteAsked()
        remote.note(living: ["p"])
        expect(!remote.isSnapshotWanted)
    }

    @Test func removedProcessesAreBounded() {
        var remote = RemotePresence()
        for number in 0...64 { _ = remote.remove("\(number)") }
        let found = ["0", "1", "64"].map { living in
            remote.noteAsked()
            remote.note(living: [living])
            return remote.isSnapshotWanted
        }
        expectEqual(found, [false, true, true])
    }

    /// Whatever is sent and lost in between, a snapshot makes the two sides equal.
    @Test(arguments: 1...20) func bothSidesAgreeAfterASnapshot(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        func random(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return (state >> 33) % bound
        }
        var (outbox, remote, shown) = (PresenceOutbox(), RemotePresence(), Set<String>())
        var own: Set<String> = []
        func deliver() {
            while let content = outbox.take() {
                for effect in remote.apply(message(content)) {
                    if effect.isJoin {
                        shown.insert(effect.info.client)
                    } else {
                        shown.remove(effect.info.client)
                    }
                }
            }
        }
        for _ in 0..<300 {
            let client = "\(random(20))"
            switch random(10) {
            case 0: deliver()
            // Lost.
            case 1: _ = outbox.take()
            case 2: outbox.requestSnapshot()
            default:
                let isJoin = !own.contains(client)
                if isJoin { own.insert(client) } else { own.remove(client) }
                outbox.note(change(client, isJoin: isJoin))
            }
        }
        outbox.requestSnapshot()
        deliver()
        expectEqual(shown, own)
    }
}
