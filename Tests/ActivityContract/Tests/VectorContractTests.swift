import ActivityContractApp
import Expectations
import Foundation

/// The answers of protocol/vectors/activity.json, which the hub writes byte for byte, in the app's types.
@Suite("The film app's types decode what the hub writes", .timeLimit(.minutes(10)))
struct VectorContractTests {
    private struct Vectors: Decodable {
        struct Text: Decodable {
            var name: String
            var kind: String?
            var text: String
        }

        var forms: [Text]
        var errors: [Text]
        var events: [Text]
    }

    /// What the document calls the kinds of the vectors; it does not describe the others.
    private static let kinds: [String: [AnswerKind]] = [
        "film": [.movie], "films": [.search, .page], "recommendations": [.recommendations, .page],
        "friends": [.friends, .page], "feed": [.activities, .page], "rating": [.rate],
        "reviews": [.reviews, .page], "profile": [.profile], "own-profile": [.profile],
        "login": [.login], "explanation": [.explanation],
    ]

    private static func vectors() throws -> Vectors {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: root.appending(path: "protocol/vectors/activity.json"))
        return try JSONDecoder().decode(Vectors.self, from: data)
    }

    @Test func everyAnswerOfTheDocumentIsDecoded() throws {
        let vectors = try Self.vectors()
        var met: Set<AnswerKind> = []
        for form in vectors.forms {
            for kind in Self.kinds[form.kind ?? ""] ?? [] {
                #expect(throws: Never.self, "\(form.name)") {
                    _ = try kind.decoded(Array(form.text.utf8))
                }
                met.insert(kind)
            }
        }
        expect(
            met.isSuperset(
                of: Set(AnswerKind.allCases).subtracting([.explanation, .error, .event])
            )
        )
        for error in vectors.errors {
            #expect(throws: Never.self, "\(error.name)") {
                _ = try AnswerKind.error.decoded(Array(error.text.utf8))
            }
        }
    }

    @Test func appThatKnowsOnlyActivitiesLeavesOtherEventsAlone() throws {
        for event in try Self.vectors().events {
            #expect(throws: Never.self, "\(event.name)") {
                _ = try AnswerKind.event.decoded(Array(event.text.utf8))
            }
        }
    }

    // MARK: What the app would drop

    private func film(_ changes: (String, String)...) -> [UInt8] {
        var text = """
            {"movie_id":1,"title":"A","genres":[],"poster_url":null,"overview":null,\
            "release_date":null,"tmdb_id":0,"rating":null,"rating_count":0,"user_rating":null,\
            "ai_score":null,"social_score":null,"in_watchlist":false,"watch_status":null}
            """
        for (old, new) in changes { text = text.replacing(old, with: new) }
        return Array(text.utf8)
    }

    @Test(arguments: [
        (#""tmdb_id":0"#, #""tmdb_id":null"#), (#""tmdb_id":0,"#, ""),
        (#""release_date":null"#, #""release_date":"""#),
        (#""release_date":null"#, #""release_date":"2023-02-29""#),
        (#""rating":null"#, #""rating":0.5"#), (#""rating":null"#, #""rating":5.01"#),
        (#""watch_status":null"#, #""watch_status":"watching""#),
        (#""poster_url":null"#, #""poster_url":"/a.jpg""#),
        (#""in_watchlist":false"#, #""in_watchlist":null"#),
    ])
    func filmOfAnotherTypeIsRefused(old: String, new: String) throws {
        _ = try AnswerKind.movie.decoded(film())
        let spoiled = film((old, new))
        expect(spoiled != film())
        #expect(throws: (any Error).self) { _ = try AnswerKind.movie.decoded(spoiled) }
    }

    @Test(arguments: [
        (#""timestamp":"2026-01-02T11:00:00.000Z""#, #""rating":5"#),
        (#""timestamp":null"#, #""rating":5"#),
        (#""timestamp":"2026-01-02T11:00:00Z""#, #""rating":4.5"#),
        (#""timestamp":"2026-01-02T11:00:00Z""#, #""rating":0"#),
    ])
    func ratingOfAnotherTypeIsRefused(timestamp: String, stars: String) {
        let text = """
            {"success":true,"rating":{"user_id":1,"movie_id":1,\(stars),"comment":null,\(timestamp)}}
            """
        #expect(throws: (any Error).self) { _ = try AnswerKind.rate.decoded(Array(text.utf8)) }
    }
}
