import ClientWire
import Expectations

@Suite("Server API: results on the wire", .timeLimit(.minutes(10)))
struct ServerAPIReplyTests {
    private func text(_ outcome: ServerAPIReply.Outcome) -> String {
        String(decoding: ServerAPIReply.encode(outcome), as: UTF8.self)
    }

    @Test func largestOffsetIsANumber() {
        expectEqual(
            text(.success(.publish(Position(offset: .max, epoch: "e")))),
            #"{"result":{"offset":18446744073709551615,"epoch":"e"}}"#
        )
    }

    @Test func textsOfStrangersAreEscaped() {
        let client = ClientInfo(user: "\"\\\n", client: "c\"")
        expectEqual(
            text(.success(.presence([client]))),
            #"{"result":{"presence":{"c\"":{"user":"\"\\\n","client":"c\""}}}}"#
        )
        expectEqual(
            text(.failure(ServerAPIError(.badRequest, "tags.\": x"))),
            #"{"error":{"code":107,"message":"tags.\": x"}}"#
        )
    }

    @Test func emptyResultsAreObjects() {
        expectEqual(text(.success(.done)), #"{"result":{}}"#)
        expectEqual(text(.success(.presence([]))), #"{"result":{"presence":{}}}"#)
        expectEqual(text(.success(.channels([]))), #"{"result":{"channels":{}}}"#)
        expectEqual(text(.success(.broadcast([]))), #"{"result":{"responses":[]}}"#)
        expectEqual(text(.success(.info([]))), #"{"result":{"nodes":[]}}"#)
        expectEqual(ServerAPIReply.encode(batch: []), Array(#"{"replies":[]}"#.utf8))
    }

    @Test func errorWithoutAReasonOfItsOwnHasTheProtocols() {
        for error in ProtocolError.all {
            expectEqual(ServerAPIError(error).code, error.code)
            expectEqual(ServerAPIError(error).message, error.message)
            expectEqual(ServerAPIError(error, "x").message, "x")
        }
    }

    @Test func offeredAndNotOfferedMethodsAreDifferent() {
        let offered = ServerAPIMethod.allCases.map(\.rawValue)
        expect(ServerAPIMethod.notOffered.isDisjoint(with: offered))
    }
}
