import ClientWire
import PubSub
import Testing

@Suite("protocol/vectors/centrifuge.json")
struct CentrifugeVectorTests {
    @Test func fileCanBeRead() throws {
        #expect(try CentrifugeVectors.file.get().cases.count > 40)
    }

    @Test(arguments: CentrifugeVectors.allCases)
    func hubAnswersAsWritten(vector: CentrifugeVectors.Case) throws {
        let connection = try TestConnection(CentrifugeVectors.file.get())
        vector.client.forEach(connection.send)
        check(connection, vector)
    }

    /// Where one message ends and the next begins makes no difference.
    @Test(arguments: CentrifugeVectors.allCases)
    func oneMessageForAllCommandsIsAnsweredTheSame(vector: CentrifugeVectors.Case) throws {
        let connection = try TestConnection(CentrifugeVectors.file.get())
        connection.send(vector.client.joined(separator: "\n"))
        check(connection, vector)
    }

    @Test(arguments: CentrifugeVectors.allCases)
    func oneMessageForEachCommandIsAnsweredTheSame(vector: CentrifugeVectors.Case) throws {
        let connection = try TestConnection(CentrifugeVectors.file.get())
        for message in vector.client {
            // A message without any command is an offence; a blank line beside one is none.
            let lines = message.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
            if lines.isEmpty { connection.send(message) }
            for line in lines { connection.send(String(line)) }
        }
        check(connection, vector)
    }

    private func check(_ connection: TestConnection, _ vector: CentrifugeVectors.Case) {
        #expect(connection.received == vector.server)
        #expect(connection.closeCode == vector.close)
        for stored in vector.publish ?? [] {
            connection.publish(stored.publication(in: Topic(trusted: "unused")))
        }
        let pushes = connection.received.dropFirst(vector.server.count)
        #expect(Array(pushes) == vector.pushes ?? [])
        #expect(connection.received.allSatisfy { !$0.contains("\n") })
    }
}
