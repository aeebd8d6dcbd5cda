import ClientWire
import Expectations

@Suite("protocol/vectors: centrifuge.json and centrifuge-protobuf.json", .timeLimit(.minutes(10)))
struct CentrifugeVectorTests {
    private static let jsonCases = CentrifugeVectors.jsonCases
    private static let protobufCases = CentrifugeVectors.protobufCases

    @Test(arguments: ClientEncoding.allCases)
    func fileCanBeRead(encoding: ClientEncoding) throws {
        try expect(CentrifugeVectors.file(encoding).get().cases.count > 60)
    }

    @Test(arguments: jsonCases)
    func hubAnswersInJSONAsWritten(vector: CentrifugeVectors.Case) throws {
        let connection = try TestConnection(.json, vector)
        for message in vector.client { connection.send(Array(message.utf8)) }
        check(connection, vector)
        expect(connection.received.allSatisfy { !$0.contains("\n") })
    }

    @Test(arguments: protobufCases)
    func hubAnswersInProtobufAsWritten(vector: CentrifugeVectors.Case) throws {
        let connection = try TestConnection(.protobuf, vector)
        for frame in vector.client { connection.send(hexBytes(frame)) }
        check(connection, vector)
    }

    /// Where one message ends and the next begins makes no difference.
    @Test(arguments: jsonCases)
    func oneFrameForAllCommandsInJSONIsAnsweredTheSame(vector: CentrifugeVectors.Case) throws {
        try checkJoined(.json, vector)
    }

    @Test(arguments: protobufCases)
    func oneFrameForAllCommandsInProtobufIsAnsweredTheSame(
        vector: CentrifugeVectors.Case
    ) throws {
        try checkJoined(.protobuf, vector)
    }

    @Test(arguments: jsonCases)
    func oneMessageForEachCommandInJSONIsAnsweredTheSame(
        vector: CentrifugeVectors.Case
    ) throws {
        let connection = try TestConnection(.json, vector)
        for message in vector.client {
            // A message without any command is an offence; a blank line beside one is none.
            let lines = message.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
            if lines.isEmpty { connection.send(Array(message.utf8)) }
            for line in lines { connection.send(Array(line.utf8)) }
        }
        check(connection, vector)
    }

    /// Every cut leaves messages out at the end, and may break one: nothing else comes of it than that
    /// the first answers stay what they are.
    @Test(arguments: protobufCases)
    func everyCutOfProtobufGivesTheFirstAnswers(vector: CentrifugeVectors.Case) throws {
        let whole = ClientEncoding.protobuf.join(vector.client.map(hexBytes))
        for length in 0..<whole.count {
            let connection = try TestConnection(.protobuf, vector)
            connection.send(Array(whole[..<length]))
            expect(vector.server.starts(with: connection.received), "cut at \(length)")
            expect([nil, 3501].contains(connection.closeCode), "cut at \(length)")
        }
    }

    private func checkJoined(
        _ encoding: ClientEncoding,
        _ vector: CentrifugeVectors.Case
    ) throws {
        let connection = try TestConnection(encoding, vector)
        connection.send(encoding.join(vector.client.map(encoding.bytes)))
        check(connection, vector)
    }

    private func check(_ connection: TestConnection, _ vector: CentrifugeVectors.Case) {
        expectEqual(connection.received, vector.server)
        expectEqual(connection.closeCode, vector.close)
        for stored in vector.publish ?? [] {
            connection.publish(stored.publication(in: Topic(trusted: "unused")))
        }
        let pushes = connection.received.dropFirst(vector.server.count)
        expectEqual(Array(pushes), vector.pushes ?? [])
    }
}
