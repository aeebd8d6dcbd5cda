extension TextRule {
    static let personName = TextRule(lengthMax: ActivityLimits.nameLengthMax, isName: true)
    static let biography = TextRule(lengthMax: ActivityLimits.biographyLengthMax, isProse: true)
    static let comment = TextRule(lengthMax: ActivityLimits.commentLengthMax, isProse: true)
    static let webAddress = TextRule(lengthMax: ActivityLimits.urlBytesMax, unit: .bytes)
    static let searchText = TextRule(lengthMax: ActivityLimits.searchLengthMax)
    static let genre = TextRule(lengthMax: ActivityLimits.genreLengthMax)
}

extension RequestFields {
    /// Nil if it is left out or blank: an app's empty input field.
    func prose(_ name: String, _ rule: TextRule) throws(RequestError) -> String? {
        do throws(RequestError) {
            return try text(name, rule)
        } catch {
            guard case .empty = error else { throw error }
            return nil
        }
    }
}
