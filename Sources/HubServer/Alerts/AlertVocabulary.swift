/// The fields that the events of a domain have, so that a rule that names another is refused and not
/// for ever false.
enum AlertVocabulary {
    static let aurora: Set<String> = [
        "level", "confidence", "visibility", "limiting_factor", "location.name", "score",
        "solar_wind.speed", "solar_wind.density", "solar_wind.bz", "solar_wind.bt", "kp_index",
        "cloud_coverage", "kp_from_solar_wind", "sun_elevation", "ovation", "coupling", "activity",
        "darkness", "clear_sky", "confidence_value",
    ]

    static let radar: Set<String> = [
        "radarId", "position", "previous", "score", "certainty", "opinion.author", "opinion.model",
        "opinion.stance", "opinion.confidence", "point.date", "point.forCount",
        "point.againstCount", "point.neutralCount", "point.totalOpinions",
        "point.averageConfidence", "slope.perDay", "slope.direction", "slope.pValue",
        "slope.change7d", "slope.days", "slope.segmentStart", "refreshCount", "opinionsAdded",
    ]

    static let activity: Set<String> = [
        "activity_id", "user_id", "user_name", "user_avatar", "movie_id", "movie_title",
        "movie_poster", "type", "rating", "comment", "timestamp",
    ]

    /// Nil for a pattern that is not of one known domain.
    static func fields(ofTopics topics: String) -> Set<String>? {
        switch topics.prefix(while: { $0 != ":" }) {
        case "aurora": aurora
        case "radar": radar
        case "activity": activity
        default: nil
        }
    }
}
