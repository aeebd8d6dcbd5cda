import Service
import Wire

/// A route that answers with a text, whatever is asked of it.
package func answering(_ text: String) -> RouteHandler {
    { _ in ServerResponse(head: HTTPResponseHead(status: 200), body: Array(text.utf8)) }
}
