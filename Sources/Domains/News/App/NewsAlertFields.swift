/// The fields of the domain's events that alert rules can use.
package enum NewsAlertFields {
    package static let names: Set<String> =
        signal.union(story).union(["merged_into"]).union(story.map { "story.\($0)" })

    private static let signal: Set<String> = [
        "id", "url", "title", "source", "published_at", "verdict", "action", "horizon",
        "opportunity_type", "opportunity_note", "confidence", "importance_score",
    ]

    private static let story: Set<String> = [
        "id", "group_title", "impact_level", "scope", "primary_ticker", "article_count",
        "created_at",
    ]
}
