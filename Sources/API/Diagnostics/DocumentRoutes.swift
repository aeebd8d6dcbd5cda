import Service

/// The descriptions of the hub's routes, and a page that shows them: `/openapi` and `/schemas`.
///
/// A description belongs to the part of the hub with the same name; a schema, to the part named by
/// the first word of its name. Documents of parts that are off are not served.
package struct DocumentRoutes: Sendable {
    /// The parts of every hub, and the definitions that descriptions share.
    private static let common = ["common", "hub", "alerts", "webhooks", "server-api"]
    /// A file without paths that others refer to.
    private static let shared = "common"

    private let files: [String: EmbeddedDocument]
    /// The names of the descriptions, in order.
    private let names: [String]

    /// - Parameter parts: the names of the parts that are on, in addition to those of every hub.
    package init(parts: [String]) {
        let known = Set(DocumentRoutes.common + parts)
        let files = EmbeddedDocument.all.filter { known.contains(DocumentRoutes.part(of: $0)) }
        self.files = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0) })
        names = files.map(\.path).filter { $0.hasPrefix("openapi/") && $0.hasSuffix(".json") }
            .map { String($0.dropFirst("openapi/".count).dropLast(".json".count)) }
            .filter { $0 != DocumentRoutes.shared }
    }

    /// Returns the part of a document: `news` for `schemas/news-story.json` and for
    /// `openapi/news.json`. The page belongs to the parts of every hub.
    private static func part(of document: EmbeddedDocument) -> String {
        let parts = document.path.split(separator: "/")
        let name = parts[1].prefix { $0 != "." }
        guard parts[0] == "schemas" else {
            return parts[1].hasSuffix(".json") ? String(name) : shared
        }
        return String(name.prefix { $0 != "-" })
    }

    package func add(to routes: inout Routes) {
        routes.get("/openapi") { page($0) }
        routes.get("/openapi/:name") { request in
            request.parameters["name"] == "index.json"
                ? send(index, "json", to: request) : file("openapi", request)
        }
        routes.get("/schemas/:name") { file("schemas", $0) }
    }

    /// The links of the page are relative, so that it works below any path of a proxy; they need
    /// the trailing slash.
    private func page(_ request: RouteRequest) -> ServerResponse {
        guard request.head.path.hasSuffix("/") else {
            let headers: HTTPHeaders = ["Location": "openapi/", "Cache-Control": "no-cache"]
            return ServerResponse(head: HTTPResponseHead(status: 308, headers: headers))
        }
        guard let page = files["openapi/page.html"] else { return DocumentRoutes.notFound }
        var response = send(page.bytes, "html", to: request)
        response.head.headers.append("Content-Security-Policy", DocumentRoutes.policy)
        response.head.headers.append("Referrer-Policy", "no-referrer")
        return response
    }

    /// Allows no external or inline content, and no frame around the page.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private func file(_ folder: String, _ request: RouteRequest) -> ServerResponse {
        let name = request.parameters["name"]
        guard let file = files["\(folder)/\(name)"], let dot = name.lastIndex(of: "."),
            !name.hasSuffix(".html")
        else { return DocumentRoutes.notFound }
        return send(file.bytes, String(name[dot...].dropFirst()), to: request)
    }

    /// The response for an unknown description below an existing route; a path without a route is
    /// `Not Found`.
    private static let notFound = ServerResponse(status: 404, text: "there is no such description")

    /// The descriptions that have paths, for the page.
    private var index: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.array("documents") { json in for name in names { json.value("\(name).json") } }
        }
        return json.bytes
    }

    private static let contentTypes = [
        "json": "application/json; charset=utf-8", "html": "text/html; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    ]

    /// Sends a document that caches store and revalidate: another version of the hub has other
    /// bytes.
    private func send(_ body: [UInt8], _ kind: String, to request: RouteRequest) -> ServerResponse {
        let tag = EntityTag(of: body)
        var headers: HTTPHeaders = ["Cache-Control": "no-cache", "ETag": tag.text]
        guard !tag.isKnown(to: request.head.headers) else {
            return ServerResponse(head: HTTPResponseHead(status: 304, headers: headers))
        }
        headers.append(
            "Content-Type",
            DocumentRoutes.contentTypes[kind] ?? "application/octet-stream"
        )
        return ServerResponse(head: HTTPResponseHead(status: 200, headers: headers), body: body)
    }
}
