extension Explanation {
    /// The object that a recommendation carries.
    package func recommendationJSON(in language: FilmLanguage) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("primary_reason", primaryReason.rawValue)
            json.array("factors") { json in
                for factor in factors { factor.write(in: language, withWeight: false, to: &json) }
            }
        }
        return json.bytes
    }

    /// The answer to `GET /movies/{id}/explanation`.
    package func json(in language: FilmLanguage) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("movie_id", score.filmID)
            json.field("ai_score", aiScore)
            json.object("explanation") { json in
                json.field("primary_reason", primaryReason.rawValue)
                json.field("confidence", Double(confidenceHundredths) / 100)
                json.array("factors") { json in
                    for factor in factors {
                        factor.write(in: language, withWeight: true, to: &json)
                    }
                }
            }
            json.object("social_signals") { json in
                json.field("friend_ratings_count", friends.ratings.count)
                json.field("friend_ratings_avg", friends.ratings.average.map(averageShown) ?? 0)
                json.field("friend_watch_count", friends.watchCount)
                json.field("mutual_friends_watched", friends.mutualFriendsWatched)
            }
        }
        return json.bytes
    }
}

extension Explanation.Factor {
    fileprivate func write(
        in language: FilmLanguage,
        withWeight hasWeight: Bool,
        to json: inout JSONWriter
    ) {
        json.object { json in
            json.field("type", type.rawValue)
            if hasWeight { json.field("weight", Double(weightHundredths) / 100) }
            json.field("value", value)
            json.field("description", language.text(sentence))
        }
    }
}
