import Service

/// `POST /bells/{name}`: openapi.json.
struct BellsRoutes: Sendable {
    let ringer: BellRinger

    static let prefixes = RoutePrefixes(.messageAndCode, "/bells")

    func add(to routes: inout Routes) {
        routes.post("/bells/:name") { request in
            let name = request.parameters["name"]
            return await .answer(part: BellsSection.key, ringer.logger) { _ in
                nil
            } _: {
                guard let hearers = try await ringer.ring(name) else {
                    throw RouteRefusal(404, "NOT_FOUND", "there is no bell \(name.prefix(64))")
                }
                return .uncached(Array(#"{"hearers":\#(hearers)}"#.utf8))
            }
        }
        routes.errors(BellsRoutes.prefixes)
    }
}
