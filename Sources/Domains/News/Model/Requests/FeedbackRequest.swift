extension NewsFeedback {
    /// The body of `POST /v1/signals/{id}/feedback`: `{"feedback":…,"note"?}`.
    package init(json body: [UInt8]) throws(NewsError) {
        do throws(RequestError) {
            let fields = try RequestFields(body)
            kind = try fields.requiredWord("feedback")
            note = try fields.textOrNothing("note", .feedbackNote)
        } catch {
            throw NewsError(error)
        }
    }
}
