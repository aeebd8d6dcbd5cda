import Expectations

@testable import varde_load

@Suite("Centrifuge text: the load's own half of the client protocol", .timeLimit(.minutes(10)))
struct CentrifugeTextTests {
    private func read(_ line: String) throws -> CentrifugeText.Line {
        try CentrifugeText.read(Array(line.utf8)[...])
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func openingConnectsAndSubscribes() {
        let connect = #"{"id":1,"connect":{"name":"varde-load"}}"#
        expectEqual(text(CentrifugeText.opening(channel: nil, position: nil)), connect)
        expectEqual(
            text(CentrifugeText.opening(channel: "a:b", position: nil)),
            connect + "\n" + #"{"id":2,"subscribe":{"channel":"a:b"}}"#
        )
    }

    @Test func returningSubscriberSaysWhereItStands() {
        let bytes = CentrifugeText.opening(
            channel: "a:b",
            position: Position(offset: 17, epoch: "e1")
        )
        expect(
            text(bytes).hasSuffix(
                #"{"id":2,"subscribe":{"channel":"a:b","recover":true,"offset":17,"epoch":"e1"}}"#
            )
        )
    }

    @Test func burstIsOneFrameWithALineForEachPublication() {
        let frames = Dialect.centrifuge.publications(
            [Array("1".utf8), Array("2".utf8)],
            firstNumber: 0,
            channel: "c"
        )
        expectEqual(
            frames.map(text),
            [
                #"{"id":3,"publish":{"channel":"c","data":1}}"# + "\n"
                    + #"{"id":4,"publish":{"channel":"c","data":2}}"#
            ]
        )
    }

    @Test func rawBurstIsOneMessageForEachPublication() {
        let dialect = Dialect.raw(RawDialect(publish: MessageTemplate("{number}:{payload}")))
        let frames = dialect.publications(
            [Array("a".utf8), Array("b".utf8)],
            firstNumber: 8,
            channel: "c"
        )
        expectEqual(frames.map(text), ["8:a", "9:b"])
    }

    @Test func linesAreToldApart() throws {
        try expectEqual(read("{}"), .ping)
        try expectEqual(read(#"{"id":1,"connect":{"client":"x","ping":25}}"#), .connected)
        try expectEqual(read(#"{"id":5,"publish":{}}"#), .done)
        try expectEqual(read(#"{"push":{"channel":"c","join":{}}}"#), .push)
        try expectEqual(read(#"{"id":2,"error":{"code":103}}"#), .refused(#"{"code":103}"#))
        try expectEqual(
            read(#"{"push":{"disconnect":{"code":3001}}}"#),
            .refused(#"disconnect {"code":3001}"#)
        )
    }

    @Test func subscriptionTellsPositionAndRecovery() throws {
        let line =
            #"{"id":2,"subscribe":{"recoverable":true,"epoch":"e","offset":4,"#
            + #""recovered":true,"was_recovering":true,"publications":[{"data":1,"offset":4}]}}"#
        try expectEqual(
            read(line),
            .subscribed(
                CentrifugeText.Subscribed(
                    position: Position(offset: 4, epoch: "e"),
                    wasRecovering: true,
                    isRecovered: true
                )
            )
        )
        try expectEqual(
            read(#"{"id":2,"subscribe":{"epoch":"e"}}"#),
            .subscribed(.init(position: Position(offset: 0, epoch: "e")))
        )
        try expectEqual(read(#"{"id":2,"subscribe":{}}"#), .subscribed(.init()))
    }

    @Test(arguments: ["", "[]", "{", "{}{}", "{\"id\":}"])
    func whatIsNoObjectIsRefused(line: String) {
        #expect(throws: (any Error).self) { try read(line) }
    }

    @Test func frameIsCutIntoLinesWithoutEmptyOnes() {
        let lines = Array("\n{}\n\n{\"a\":1}\n".utf8).withUnsafeBytes { bytes in
            var position = 0
            var lines: [String] = []
            while let line = CentrifugeText.nextLine(in: bytes, from: &position) {
                lines.append(String(decoding: line, as: UTF8.self))
            }
            return lines
        }
        expectEqual(lines, ["{}", "{\"a\":1}"])
    }

    @Test func publicationIsKnownByItsBeginning() {
        func isPublication(_ line: String) -> Bool {
            Array(line.utf8).withUnsafeBytes(CentrifugeText.isPublication)
        }
        expect(isPublication(#"{"push":{"channel":"c","pub":{"data":1}}}"#))
        expect(!isPublication(#"{"push":{"disconnect":{"code":1}}}"#))
        expect(!isPublication("{}"))
    }
}
