import Wire

/// What an act looks like: a POST request with the actor's token, made of two templates.
struct ActRequest: Sendable {
    /// Asks for `/movies/1/rate` and so on in turn, with a review of the payload's text.
    static let standardPath = "/movies/{number}/rate"
    static let standardBody = #"{"rating":5,"comment":{payload},"is_review":true}"#

    private let authority: String
    private let path: MessageTemplate
    private let body: MessageTemplate
    /// `{number}` runs from 1 to here in the path.
    private let targetCount: Int

    init(authority: String, path: MessageTemplate, body: MessageTemplate, targetCount: Int) {
        precondition(targetCount > 0)
        self.authority = authority
        self.path = path
        self.body = body
        self.targetCount = targetCount
    }

    /// A whole request.
    ///
    /// - Parameter payload: JSON text.
    func bytes(_ number: Int, token: String, payload: [UInt8]) -> [UInt8] {
        var target: [UInt8] = []
        path.append(channel: "", number: number % targetCount + 1, to: &target)
        var content: [UInt8] = []
        body.append(channel: "", number: number, payload: payload, to: &content)
        let head = HTTPRequestHead(
            method: "POST",
            target: String(decoding: target, as: UTF8.self),
            headers: [
                "Host": authority, "Authorization": "Bearer \(token)",
                "Content-Type": "application/json", "Content-Length": "\(content.count)",
            ]
        )
        var bytes: [UInt8] = []
        head.append(to: &bytes)
        return bytes + content
    }
}
