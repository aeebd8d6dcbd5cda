/// The fields of the events of the domain, as alert rules name them.
package enum RadarAlertFields {
    package static let names: Set<String> = [
        "radarId", "position", "previous", "score", "certainty", "probability", "opinion.author",
        "opinion.model", "opinion.stance", "opinion.confidence", "point.date", "point.forCount",
        "point.againstCount", "point.neutralCount", "point.totalOpinions",
        "point.averageConfidence", "slope.perDay", "slope.direction", "slope.pValue",
        "slope.change7d", "slope.days", "slope.segmentStart", "refreshCount", "opinionsAdded",
        "interpretation.category", "interpretation.subCategory", "interpretation.sentiment",
        "interpretation.source",
    ]
}
