import Base
import Expectations

@testable import varde_load

@Suite("Server API: requests and answers of publish and batch", .timeLimit(.minutes(10)))
struct PublishAPITests {
    private func api(batch: Int) -> PublishAPI {
        PublishAPI(authority: "hub:8000", path: "/api", key: "secret", batch: batch)
    }

    private func answers(_ text: String, batch: Int) throws -> [PublishAPI.Answer] {
        try api(batch: batch).answers(Array(text.utf8)[...])
    }

    private func published(_ offset: UInt64, _ epoch: String = "e") -> PublishAPI.Answer {
        .published(Position(offset: offset, epoch: epoch))
    }

    @Test func onePublicationGoesToPublish() {
        let request = api(batch: 1).request([("chat:a", Array(#""x""#.utf8))])
        expectEqual(
            String(decoding: request, as: UTF8.self),
            """
            POST /api/publish HTTP/1.1\r
            Host: hub:8000\r
            X-API-Key: secret\r
            Content-Type: application/json\r
            Content-Length: 31\r
            \r
            {"channel":"chat:a","data":"x"}
            """
        )
    }

    @Test func severalGoToBatchInTheirOrder() {
        let data = Array("1".utf8)
        let request = api(batch: 2).request([("chat:a", data), ("chat:b", data)])
        let text = String(decoding: request, as: UTF8.self)
        expect(text.hasPrefix("POST /api/batch HTTP/1.1\r\n"))
        expect(
            text.hasSuffix(
                #"{"commands":[{"publish":{"channel":"chat:a","data":1}},"#
                    + #"{"publish":{"channel":"chat:b","data":1}}]}"#
            )
        )
    }

    @Test func positionIsRead() throws {
        let text = #"{"result":{"offset":5,"epoch":"018f"}}"#
        try expectEqual(answers(text, batch: 1), [published(5, "018f")])
    }

    @Test func errorIsToldAsItIs() throws {
        let text = #"{"error":{"code":102,"message":"unknown channel"}}"#
        let refused = PublishAPI.Answer.refused(#"{"code":102,"message":"unknown channel"}"#)
        try expectEqual(answers(text, batch: 1), [refused])
    }

    @Test(arguments: [
        "{}", #"{"offset":5}"#, #"{"epoch":"e"}"#, #"{"offset":0,"epoch":"e"}"#,
        #"{"offset":-1,"epoch":"e"}"#, #"{"offset":9007199254740993,"epoch":"e"}"#,
        #"{"offset":5,"epoch":6}"#,
    ])
    func resultWithoutAPositionIsNoSuccess(result: String) throws {
        try expectEqual(answers(#"{"result":\#(result)}"#, batch: 1), [.refused(result)])
    }

    @Test func answerWithNeitherResultNorErrorIsNoSuccess() throws {
        try expectEqual(answers(#"{"publish":{}}"#, batch: 1), [.refused(#"{"publish":{}}"#)])
    }

    @Test func repliesOfABatchAreInOrder() throws {
        let text =
            #"{"replies":[{"publish":{"offset":1,"epoch":"e"}},{"error":{"code":111}},"#
            + #"{"publish":{"offset":2,"epoch":"e"}}]}"#
        let refused = PublishAPI.Answer.refused(#"{"code":111}"#)
        try expectEqual(answers(text, batch: 3), [published(1), refused, published(2)])
    }

    @Test func batchWithoutRepliesHasNoAnswers() throws {
        try expectEqual(answers(#"{"error":{"code":106}}"#, batch: 2), [])
    }

    @Test(arguments: [1, 2])
    func otherTextIsAnError(batch: Int) {
        #expect(throws: JSONError.self) { try answers("busy", batch: batch) }
    }
}
