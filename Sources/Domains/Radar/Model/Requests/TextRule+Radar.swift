extension TextRule {
    static let topic = TextRule(lengthMax: RadarLimits.topicLengthMax, isName: true)
    /// A language with its region or script.
    static let languageTag = TextRule(lengthMax: 35, isName: true)
    static let name = TextRule(lengthMax: RadarLimits.nameLengthMax, isName: true)
    static let content = TextRule(
        lengthMax: RadarLimits.contentBytesMax,
        unit: .bytes,
        isProse: true
    )
    static let reasoning = TextRule(
        lengthMax: RadarLimits.reasoningBytesMax,
        unit: .bytes,
        isProse: true
    )
}
