/// The fields of the events of the domain, as alert rules name them.
package enum ActivityAlertFields {
    package static let names: Set<String> = [
        "activity_id", "user_id", "user_name", "user_avatar", "movie_id", "movie_title",
        "movie_poster", "type", "rating", "comment", "timestamp",
    ]
}
