import HTTPTypes
import Hummingbird
import JSONText
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

    /// An error in the form that the aurora app decodes.
    static func auroraError(_ status: HTTPResponse.Status, _ message: String) -> Response {
        var json = JSONWriter()
        json.object {
            $0.field("error", status.reasonPhrase)
            $0.field("message", message)
            if status == .unauthorized || status == .forbidden {
                $0.field("documentation", "https://aurora.tromso.ai/docs/authentication")
            }
        }
        return .json(json.bytes, status: status, [.cacheControl: "no-store"])
    }
}
