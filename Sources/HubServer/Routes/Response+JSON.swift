import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    static func json(
        _ body: [UInt8],
        status: HTTPResponse.Status = .ok,
        _ headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        return Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
    }

    /// Of what may change at any moment, or is somebody's own: no cache keeps the answer.
    static func uncached(_ body: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        .json(body, status: status, [.cacheControl: "no-store"])
    }
}
