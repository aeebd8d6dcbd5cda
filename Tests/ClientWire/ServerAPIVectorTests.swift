import ClientWire
import Expectations
import Foundation

@Suite("protocol/vectors/server-api.json, read", .timeLimit(.minutes(10)))
struct ServerAPIVectorTests {
    @Test func everyMethodIsAmongTheVectorsTakenAndRefused() throws {
        let cases = try ServerAPIVectors.file.get().cases
        for method in ServerAPIMethod.allCases.map(\.rawValue) {
            let own = cases.filter { $0.method == method }
            expect(own.contains { !$0.answer.contains("error") && $0.status == 200 }, "\(method)")
            expect(own.contains { $0.answer.hasPrefix(#"{"error""#) }, "\(method)")
        }
    }

    @Test(arguments: ServerAPIVectors.allCases)
    func requestIsTakenOrRefusedAsTheVectorSays(vector: ServerAPIVectors.Case) throws {
        let method = try require(ServerAPIMethod(rawValue: vector.method))
        let isRefused = vector.answer.hasPrefix(#"{"error""#) && !vector.byHub
        do throws(ServerAPIRequestError) {
            _ = try ServerAPIRequest(method, body: Array(vector.body.utf8))
            expect(!isRefused && vector.status == 200)
        } catch {
            switch error {
            case .notJSON: expect(vector.status == 400 && vector.answer.isEmpty)
            case .refused(let error):
                expect(isRefused)
                let answer = ServerAPIReply.encode(.failure(error))
                expectEqual(String(decoding: answer, as: UTF8.self), vector.answer)
            }
        }
    }

    /// An object that was cut off is no JSON, wherever it was cut.
    @Test(arguments: ServerAPIVectors.allCases)
    func requestThatIsCutOffIsNotJSON(vector: ServerAPIVectors.Case) throws {
        let method = try require(ServerAPIMethod(rawValue: vector.method))
        guard vector.body.hasPrefix("{"), vector.status == 200 else { return }
        let body = Array(vector.body.utf8)
        for length in 1..<body.count {
            let error = #expect(throws: ServerAPIRequestError.self) {
                try ServerAPIRequest(method, body: Array(body.prefix(length)))
            }
            guard case .notJSON = error else {
                Issue.record("\(length) bytes: \(String(describing: error))")
                return
            }
        }
    }

    /// protocol/openapi/server-api.json
    @Test func machineReadableDescriptionHasEveryMethod() throws {
        struct Description: Decodable {
            struct Path: Decodable {
                struct Operation: Decodable { var operationId: String }
                var post: Operation
            }
            var paths: [String: Path]
        }
        let url = Vectors.root.appending(path: "protocol/openapi/server-api.json")
        let paths = try JSONDecoder().decode(Description.self, from: Data(contentsOf: url)).paths
        expectEqual(
            paths.keys.sorted(),
            ServerAPIMethod.allCases.map { "/api/\($0.rawValue)" }.sorted()
        )
        for (path, item) in paths { expectEqual(path, "/api/\(item.post.operationId)") }
    }
}
