import AuroraApp
import HTTPService
import Logging
import ServerAPI

extension RouteResponder {
    /// - Parameters:
    ///   - serverAPI: nil until the loops run.
    ///   - aurora: nil where the domain is off.
    init(
        routes: Routes,
        serverAPI: @escaping @Sendable () -> ServerAPI? = { nil },
        aurora: AuroraAPI? = nil,
        logger: Logger
    ) {
        var routes = routes
        if let aurora { routes.beside(methods: []) { aurora.respond(to: $0) } }
        routes.beside(methods: [ServerAPI.routeMethod]) { await serverAPI()?.respond(to: $0) }
        self.init(routes: routes, logger: logger)
    }
}
