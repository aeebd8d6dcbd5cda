import Expectations
import Wire

@Suite("RFC 6455 §5.4, fragmentation", .timeLimit(.minutes(10)))
struct FragmentationTests {
    @Test(arguments: Role.both)
    func endJoinsFragmentsInOrder(role: Role) {
        let frames =
            Wire.frame(Wire.binaryStart, [1, 2, 3], from: role.peer)
            + Wire.frame(Wire.continuationMiddle, [4, 5], from: role.peer)
            + Wire.frame(Wire.continuation, [6], from: role.peer)
        let transcript = receive(frames, as: role)
        expectEqual(transcript.events, [.binary([1, 2, 3, 4, 5, 6])])
        expectEqual(transcript.output, [])
        expectEqual(transcript.heldLength, 0)
    }

    @Test(arguments: Role.both)
    func endJoinsEmptyFragments(role: Role) {
        let frames =
            Wire.frame(Wire.textStart, from: role.peer)
            + Wire.frame(Wire.continuationMiddle, from: role.peer)
            + Wire.frame(Wire.continuationMiddle, "a", from: role.peer)
            + Wire.frame(Wire.continuation, from: role.peer)
            + Wire.frame(Wire.binaryStart, from: role.peer)
            + Wire.frame(Wire.continuation, from: role.peer)
        expectEqual(receive(frames, as: role).events, [.text("a"), .binary([])])
    }

    @Test(arguments: Role.both)
    func endReadsControlFramesBetweenFragments(role: Role) {
        let frames =
            Wire.frame(Wire.textStart, "ab", from: role.peer)
            + Wire.frame(Wire.ping, "one", from: role.peer)
            + Wire.frame(Wire.pong, from: role.peer)
            + Wire.frame(Wire.continuationMiddle, "cd", from: role.peer)
            + Wire.frame(Wire.ping, from: role.peer)
            + Wire.frame(Wire.continuation, "ef", from: role.peer)
        let transcript = receive(frames, as: role)
        let pings: [Received] = [.ping(Array("one".utf8)), .pong([]), .ping([])]
        expectEqual(transcript.events, pings + [.text("abcdef")])
        let pongs =
            Wire.frame(Wire.pong, "one", from: role) + Wire.frame(Wire.pong, from: role)
        expectEqual(transcript.output, pongs)
    }

    @Test(arguments: Role.both)
    func endIsClosedByCloseFrameBetweenFragments(role: Role) {
        let frames =
            Wire.frame(Wire.textStart, "ab", from: role.peer)
            + Wire.close(1000, "bye", from: role.peer)
        let transcript = receive(frames, as: role)
        expectEqual(transcript.events, [.closed(.normalClosure, reason: "bye")])
        expectEqual(transcript.heldLength, 0)
    }

    @Test(arguments: [Wire.continuation, Wire.continuationMiddle], Role.both)
    func endFailsConnectionOnContinuationWithoutStart(first: UInt8, role: Role) {
        let frame = Wire.frame(first, "a", from: role.peer)
        expectFailure(.continuationWithoutStart, on: frame, as: role)
    }

    @Test(arguments: [Wire.continuation, Wire.continuationMiddle], Role.both)
    func endFailsConnectionOnContinuationAfterTheEnd(first: UInt8, role: Role) {
        let frames =
            Wire.frame(Wire.textStart, "a", from: role.peer)
            + Wire.frame(Wire.continuation, "b", from: role.peer)
            + Wire.frame(first, "c", from: role.peer)
        expectFailure(.continuationWithoutStart, on: frames, as: role, after: [.text("ab")])
    }

    @Test(
        arguments: [Wire.text, Wire.textStart, Wire.binary, Wire.binaryStart],
        Role.both
    )
    func endFailsConnectionOnMessageInsideAnother(first: UInt8, role: Role) {
        let frames =
            Wire.frame(Wire.textStart, "a", from: role.peer)
            + Wire.frame(first, "b", from: role.peer)
        expectFailure(.messageInterrupted, on: frames, as: role)
    }

    @Test(arguments: Role.both)
    func endReceivesMessagesThatFollowEachOther(role: Role) {
        let frames =
            Wire.frame(Wire.text, "one", from: role.peer)
            + Wire.frame(Wire.binary, [2], from: role.peer)
            + Wire.frame(Wire.textStart, "th", from: role.peer)
            + Wire.frame(Wire.continuation, "ree", from: role.peer)
            + Wire.frame(Wire.text, from: role.peer)
        let transcript = receive(frames, as: role)
        expectEqual(transcript.events, [.text("one"), .binary([2]), .text("three"), .text("")])
        expectEqual(transcript.state, .open)
    }
}
