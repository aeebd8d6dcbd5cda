import ClientWire
import Testing

@Suite("Server API: results on the wire", .timeLimit(.minutes(10)))
struct ServerAPIReplyTests {
    private func text(_ outcome: ServerAPIReply.Outcome) -> String {
        String(decoding: ServerAPIReply.encode(outcome), as: UTF8.self)
    }

    @Test func largestOffsetIsANumber() {
        #expect(
            text(.success(.publish(Position(offset: .max, epoch: "e"))))
                == #"{"result":{"offset":18446744073709551615,"epoch":"e"}}"#
        )
    }

    @Test func textsOfStrangersAreEscaped() {
        let client = ClientInfo(user: "\"\\\n", client: "c\"")
        #expect(
            text(.success(.presence([client])))
                == #"{"result":{"presence":{"c\"":{"user":"\"\\\n","client":"c\""}}}}"#
        )
        #expect(
            text(.failure(ServerAPIError(.badRequest, "tags.\": x")))
                == #"{"error":{"code":107,"message":"tags.\": x"}}"#
        )
    }

    @Test func emptyResultsAreObjects() {
        #expect(text(.success(.done)) == #"{"result":{}}"#)
        #expect(text(.success(.presence([]))) == #"{"result":{"presence":{}}}"#)
        #expect(text(.success(.channels([]))) == #"{"result":{"channels":{}}}"#)
        #expect(text(.success(.broadcast([]))) == #"{"result":{"responses":[]}}"#)
        #expect(text(.success(.info([]))) == #"{"result":{"nodes":[]}}"#)
        #expect(ServerAPIReply.encode(batch: []) == Array(#"{"replies":[]}"#.utf8))
    }

    @Test func errorWithoutAReasonOfItsOwnHasTheProtocols() {
        for error in ProtocolError.all {
            #expect(ServerAPIError(error).code == error.code)
            #expect(ServerAPIError(error).message == error.message)
            #expect(ServerAPIError(error, "x").message == "x")
        }
    }

    @Test func offeredAndNotOfferedMethodsAreDifferent() {
        let offered = ServerAPIMethod.allCases.map(\.rawValue)
        #expect(ServerAPIMethod.notOffered.isDisjoint(with: offered))
    }
}
