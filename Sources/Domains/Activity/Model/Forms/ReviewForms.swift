extension Rating {
    /// The answer of `POST /movies/{id}/rate`.
    package func json() -> [UInt8] {
        successJSON { json in
            json.object("rating") { json in
                json.field("user_id", personID)
                json.field("movie_id", filmID)
                json.field("rating", stars.wholeStars)
                json.field("comment", comment)
                json.field("timestamp", at.iso8601Seconds)
                json.field("is_review", isReview)
            }
        }
    }
}

extension Page where Item == ReviewView {
    /// The answer of `GET /movies/{id}/reviews`.
    package func json() -> [UInt8] {
        json("reviews") { json, review in
            json.field("review_id", review.id)
            review.author.write(asUser: &json)
            json.field("movie_id", review.filmID)
            json.field("rating", review.stars.wholeStars)
            json.field("comment", review.comment)
            json.field("timestamp", review.at.iso8601Seconds)
            json.field("likes", review.likes)
            json.field("user_liked", review.userLiked)
        }
    }
}

extension ReviewLikes {
    /// The answer of `POST` and `DELETE /movies/{id}/reviews/{review_id}/like`.
    package func json() -> [UInt8] {
        successJSON { json in
            json.field("review_id", reviewID)
            json.field("likes", likes)
            json.field("user_liked", userLiked)
        }
    }
}
