import ClientWire
import Foundation
import Repository
import Service

@testable import API

/// The server API of a hub that remembers what it was asked for, and requests to it.
struct ServerAPIFixture {
    static let key = "key-1"

    let hub = RecordingHub()
    let api: ServerAPI

    init(
        access: ServerAPI.Access = .keys {
            $0 == ServerAPIFixture.key ? APIKeyGrant(name: "tests") : nil
        },
        limits: ServerAPILimits = ServerAPILimits(),
        logger: Logger? = nil
    ) {
        api = ServerAPI(hub: hub, access: access, limits: limits, logger: logger)
    }

    static let headers: HTTPHeaders = [
        "X-API-Key": key, "Content-Type": "application/json",
    ]

    /// What the API answers; nil when the path is not one of its own.
    func respond(
        _ path: String,
        _ body: String = "{}",
        method: String = "POST",
        headers: HTTPHeaders = headers
    ) async -> ServerResponse? {
        let head = HTTPRequestHead(method: method, target: path, headers: headers)
        return await api.respond(
            to: ServerRequest(head: head, body: Array(body.utf8), peer: nil)
        )
    }
}

extension ServerResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// protocol/vectors/server-api.json
struct ServerAPIVectors: Decodable {
    struct Case: Decodable {
        var name: String
        var method: String
        var body: String
        var status: Int
        /// Empty where the text of the answer is free.
        var answer: String
    }

    var cases: [Case]

    static func load() throws -> [Case] {
        let url = URL(filePath: repositoryRoot + "/protocol/vectors/server-api.json")
        return try JSONDecoder().decode(Self.self, from: Data(contentsOf: url)).cases
    }
}

extension ServerAPIError {
    /// The error for a topic in a namespace that is not configured.
    static func unknown(namespace: String) -> ServerAPIError {
        ServerAPIError(
            .unknownChannel,
            "unknown channel: namespace \(namespace) is not configured: add an entry with name:"
                + " \(namespace) to namespaces, or start varde dev with --namespace \(namespace)"
        )
    }
}
