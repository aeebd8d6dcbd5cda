import API

extension RouteResponder {
    /// - Parameter serverAPI: the API as configured last; nil for routes without one.
    init(
        routes: Routes,
        serverAPI: @escaping @Sendable () -> ServerAPI?,
        keys: KeyReader = KeyReader(),
        logger: Logger
    ) {
        var routes = routes
        routes.beside(ServerAPI.routes) { await serverAPI()?.respond(to: $0) }
        self.init(routes: routes, logger: logger, keys: keys) { serverAPI()?.grant(of: $0) }
    }
}
