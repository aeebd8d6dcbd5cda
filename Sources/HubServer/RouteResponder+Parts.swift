import HTTPService
import Logging
import ServerAPI

extension RouteResponder {
    /// - Parameter serverAPI: nil until the loops run.
    init(
        routes: Routes,
        serverAPI: @escaping @Sendable () -> ServerAPI?,
        logger: Logger
    ) {
        var routes = routes
        routes.beside(methods: [ServerAPI.routeMethod]) { await serverAPI()?.respond(to: $0) }
        self.init(routes: routes, logger: logger)
    }
}
