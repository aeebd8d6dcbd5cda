import Service

/// `/console/`: the page, its scripts and its styles. The data come from the hub's other routes.
///
/// Each view has a path of one segment, `/console/topics`, which is answered with the page. The
/// names of files have a dot, so they are no views.
package final class ConsoleRoutes: Sendable {
    private static let page = "index.html"
    private static let folders = ["lib", "vendor", "views"]

    private let files: ConsoleFiles
    /// Files that were requested before.
    private let known = Locked<[String: ConsoleFile]>([:])

    package init(files: ConsoleFiles) { self.files = files }

    package func add(to routes: inout Routes) {
        routes.get("/console") { [self] in page($0) }
        routes.get("/console/:name") { [self] request in
            let name = request.parameters["name"]
            if ConsoleRoutes.isView(name) { return page(request) }
            return file(name, request)
        }
        for folder in ConsoleRoutes.folders {
            routes.get("/console/\(folder)/:name") { [self] request in
                file(request.parameters["name"], in: "\(folder)/", request)
            }
        }
    }

    /// Leads browsers from the root to the console.
    package static func addRedirect(to routes: inout Routes) {
        routes.get("/") { _ in redirect(to: "console/", status: 302) }
    }

    /// Answers requests for the console of a hub where it is off.
    package static func addRefusal(to routes: inout Routes) {
        for pattern in ["/console", "/console/:name"] {
            routes.get(pattern) { _ in
                ServerResponse(status: 404, text: "the console is off: set console.enabled: true")
            }
        }
    }

    private static func redirect(to path: String, status: Int) -> ServerResponse {
        let headers: HTTPHeaders = ["Location": path, "Cache-Control": "no-cache"]
        return ServerResponse(head: HTTPResponseHead(status: status, headers: headers))
    }

    /// The links of the page are relative, so that it works below any path of a proxy; they need
    /// the trailing slash.
    private func page(_ request: RouteRequest) -> ServerResponse {
        if request.head.path.hasSuffix("/console") {
            return ConsoleRoutes.redirect(to: "console/", status: 308)
        }
        return file(ConsoleRoutes.page, request)
    }

    private static func isView(_ name: String) -> Bool {
        name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
    }

    /// Whether a name is that of a file: letters, digits, hyphens, and one dot in the middle.
    private static func isFile(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0)
                            || $0 == UInt8(ascii: "-")
                    }
            }
    }

    private func file(
        _ name: String,
        in folder: String = "",
        _ request: RouteRequest
    ) -> ServerResponse {
        guard ConsoleRoutes.isFile(name),
            let type = ConsoleRoutes.contentTypes[String(name.drop { $0 != "." })],
            let file = file(at: folder + name)
        else { return ConsoleRoutes.notFound }
        let isCompressed = ConsoleRoutes.takesGzip(request.head.headers)
        let tag = isCompressed ? file.gzipTag : file.tag
        var headers: HTTPHeaders = [
            "Cache-Control": "no-cache", "ETag": tag.text, "Vary": "Accept-Encoding",
        ]
        guard !tag.isKnown(to: request.head.headers) else {
            return ServerResponse(head: HTTPResponseHead(status: 304, headers: headers))
        }
        headers.append("Content-Type", type)
        if isCompressed { headers.append("Content-Encoding", "gzip") }
        headers.append("Content-Security-Policy", ConsoleRoutes.policy)
        headers.append("Referrer-Policy", "no-referrer")
        headers.append("X-Frame-Options", "DENY")
        headers.append("Cross-Origin-Opener-Policy", "same-origin")
        headers.append("Cross-Origin-Resource-Policy", "same-origin")
        return ServerResponse(
            head: HTTPResponseHead(status: 200, headers: headers),
            body: isCompressed ? file.gzip : file.bytes
        )
    }

    private func file(at path: String) -> ConsoleFile? {
        if let file = known.withLock({ $0[path] }) { return file }
        guard let bytes = files.bytes(of: path) else { return nil }
        let file = ConsoleFile(bytes)
        if files.isFixed { known.withLock { $0[path] = file } }
        return file
    }

    /// Whether a client accepts gzip: RFC 9110 §12.5.3. A coding with the weight 0 is refused.
    static func takesGzip(_ headers: HTTPHeaders) -> Bool {
        headers.listValues("Accept-Encoding").contains { item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let coding = parts.first?.lowercased(), coding == "gzip" || coding == "*" else {
                return false
            }
            let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
            return weight.flatMap { Double($0.dropFirst(2)) } != 0
        }
    }

    /// Allows no external or inline content, and no frame around the page.
    private static let policy = [
        "default-src 'self'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self' data:", "object-src 'none'", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    ].joined(separator: "; ")

    private static let contentTypes = [
        ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8", ".json": "application/json; charset=utf-8",
    ]

    private static let notFound = ServerResponse(
        status: 404,
        text: "the console has no such file"
    )
}
