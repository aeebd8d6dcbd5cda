import Configuration
import Expectations
import HubTesting
import LoopTesting
import Radar
import Service
import TokenTesting
import Wire

@testable import RadarApp

/// The routes of radars without sockets, over a service of its own.
struct RadarRoutesFixture: Sendable {
    static let apiKey = "key-of-a-backend"
    static let otherKey = "key-of-another-one"

    let hub: RadarHub
    let service: RadarService
    let tokens: TestTokens
    private let responder: RouteResponder

    /// - Parameter sources: which the service asks.
    static func run(
        asking sources: [String] = [],
        policy: SourcePolicy = RadarHub.policy,
        timer: ProcessTimer = RadarHub.never,
        hasTokens: Bool = true,
        _ change: (inout RadarSection) -> Void = { _ in },
        _ body: (RadarRoutesFixture) async throws -> Void
    ) async throws {
        let tokens = try await TestTokens()
        try await RadarHub.run { hub in
            let service = try await hub.service(
                sources.map {
                    ModelSource(
                        name: $0,
                        provider: "anthropic",
                        model: AnthropicModel(
                            "model",
                            key: ProviderKey("key"),
                            url: hub.providers.url(of: $0)
                        )
                    )
                },
                policy: policy,
                timer: timer,
                change
            )
            let access = RouteAccess(verifier: { hasTokens ? tokens.verifier : nil })
            var routes = Routes()
            RadarRoutes(service: service, access: access).add(to: &routes)
            try await body(
                RadarRoutesFixture(
                    hub: hub,
                    service: service,
                    tokens: tokens,
                    responder: RouteResponder(routes: routes, logger: silentLogger) { key in
                        [apiKey, otherKey].contains(key) ? APIKeyGrant(name: key) : nil
                    }
                )
            )
        }
    }

    struct Answer {
        var status: Int
        var headers: HTTPHeaders
        var body: String

        /// The code of an error.
        var code: String? { LoopTesting.text("code", in: body) }
        var message: String? { LoopTesting.text("message", in: body) }
        /// What the answer says of the rate: limit and remaining.
        var rate: [String?] {
            ["X-RateLimit-Limit", "X-RateLimit-Remaining"].map { headers.first($0) }
        }
    }

    /// - Parameter user: whose token is sent; nil for none.
    func send(
        _ method: String,
        _ target: String,
        by user: String? = nil,
        _ headers: HTTPHeaders = [:],
        body: String = ""
    ) async throws -> Answer {
        var headers = headers
        if let user { headers.append("Authorization", "Bearer \(try tokens.connection(user))") }
        let head = HTTPRequestHead(method: method, target: target, headers: headers)
        let request = ServerRequest(head: head, body: Array(body.utf8), peer: nil)
        let response = await responder.respond(to: request)
        return Answer(
            status: response.head.status,
            headers: response.head.headers,
            body: String(decoding: response.body, as: UTF8.self)
        )
    }

    /// An opinion that is pushed.
    static func opinion(
        author: String = "ministry",
        content: String = "Because.",
        stance: String = "for",
        confidence: String = "0.5"
    ) -> String {
        #"{"author":"\#(author)","model":"m","content":"\#(content)","stance":"\#(stance)","#
            + #""confidence":\#(confidence)}"#
    }

    func push(_ body: String, to id: String, key: String? = apiKey) async throws -> Answer {
        var headers: HTTPHeaders = [:]
        if let key { headers.append("X-API-Key", key) }
        return try await send("POST", "/api/radars/\(id)/opinions", headers, body: body)
    }
}

/// The elements of a JSON array, as they are written.
func jsonElements(_ text: String) throws -> [String] {
    try JSONReader.elements(of: Array(text.utf8)[...]).map { String(decoding: $0, as: UTF8.self) }
}
