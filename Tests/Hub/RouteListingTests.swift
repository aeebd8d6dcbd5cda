import API
import Expectations
import Foundation
import Repository

@testable import Hub

@Suite("Routes: the listing and protocol/openapi", .timeLimit(.minutes(10)))
struct RouteListingTests {
    /// No app is written against these: `/echo` is for measuring, and the others are the files of
    /// the console.
    private static let notDescribed: Set = [
        "GET /", "GET /console", "GET /console/lib/{}", "GET /console/vendor/{}",
        "GET /console/views/{}",
        "GET /console/{}", "GET /echo",
    ]

    /// `GET /a/{}`, whatever the parameter is called.
    private func unnamed(_ method: String, _ path: String) -> String {
        "\(method) " + path.replacing(/:\w+|\{\w+\}/, with: "{}")
    }

    private func described() throws -> Set<String> {
        let folder = URL(filePath: "\(repositoryRoot)/protocol/openapi")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        var found: Set<String> = []
        for file in files where file.hasSuffix(".json") {
            let data = try Data(contentsOf: folder.appending(path: file))
            let document = try require(JSONSerialization.jsonObject(with: data) as? [String: Any])
            // What other descriptions refer to has no paths of its own.
            let paths = document["paths"] as? [String: [String: Any]] ?? [:]
            for (path, item) in paths {
                for method in RouteMethod.allCases.map(\.rawValue) {
                    guard item[method.lowercased()] != nil else { continue }
                    found.insert(unnamed(method, path))
                }
            }
        }
        return found
    }

    @Test func everyRouteIsDescribedAndNoOther() async throws {
        let all = try await EveryDomain.run { hub, parts in
            parts.routes(hub, access: .none).all + ServerAPI.routes
                + LoopResource.routes(hub.parts.domains.flatMap(\.sockets))
        }
        expect(all.count >= 70)
        let has = Set(all.map { unnamed($0.method.rawValue, $0.pattern) })
        expectEqual(has.count, all.count, "no route is there twice")
        let described = try described()
        expectEqual(has.subtracting(described), Self.notDescribed)
        expectEqual(described.subtracting(has), [])
    }
}
