import Expectations
import Foundation

@testable import Activity

/// protocol/vectors/activity.json
struct ActivityVectors: Decodable {
    struct Form: Decodable {
        var name: String
        var kind: String
        var text: String
    }

    struct ErrorText: Decodable {
        var name: String
        var status: Int
        var text: String
    }

    struct EventText: Decodable {
        var name: String
        var text: String
        var tags: [String: String]
    }

    struct Request: Decodable, CustomTestStringConvertible {
        var name: String
        var request: String
        var body: String
        /// Nil for one that is taken; so are the two below.
        var code: String?
        var error: String?
        var field: String?
        var testDescription: String { "\(request): \(name)" }
    }

    struct Title: Decodable, CustomTestStringConvertible {
        var text: String
        var title: String
        var year: Int?
        var testDescription: String { text }
    }

    struct Genres: Decodable, CustomTestStringConvertible {
        var text: String
        var genres: [String]
        var testDescription: String { text }
    }

    struct Words: Decodable, CustomTestStringConvertible {
        var text: String
        /// With a space between them.
        var words: String
        var testDescription: String { text }
    }

    var forms: [Form]
    var errors: [ErrorText]
    var events: [EventText]
    var requests: [Request]
    var titles: [Title]
    var genres: [Genres]
    var words: [Words]

    static let all: Self = {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "protocol/vectors/activity.json")
        do {
            return try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
        } catch {
            preconditionFailure("\(url.path): \(error)")
        }
    }()

    static func form(_ name: String) throws -> String {
        try require(all.forms.first { $0.name == name }, "no form \(name)").text
    }

    static func event(_ name: String) throws -> EventText {
        try require(all.events.first { $0.name == name }, "no event \(name)")
    }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// What the vectors show. Instants have fractions, which no form may show.
enum Example {
    static let first = instant("2026-01-02T11:00:00.789Z")
    static let second = instant("2026-01-02T10:30:00.001Z")
    static let third = instant("2025-12-31T23:59:59.999Z")

    static let kari = PersonCard(
        id: 2,
        name: "Kari",
        avatarURL: "https://images.example/kari.jpg"
    )
    static let ola = PersonCard(id: 3, name: "Ola \"the\" Nordmann", avatarURL: nil)

    static let silverSea = FilmView(
        film: Film(
            id: 1,
            title: "The Silver Sea",
            year: 1999,
            genres: ["Sci-Fi", "Action"],
            posterURL: "https://images.example/w500/sea.jpg",
            overview: "A diver hears a city below the ice.\nNobody believes her.",
            releaseDate: "1999-03-31",
            tmdbID: 603,
            runtimeMinutes: 136,
            directors: ["Siri Holm"],
            actors: ["Per Vik", "Åse Dahl"]
        ),
        ratings: RatingSummary(count: 1250, average: 14 / 3),
        userRating: HalfStars(stars: 5)
    )
    static let silverSeaScores = FilmScores(ai: 94, social: 89)
    static let shore = FilmView(
        film: Film(id: 7, title: "Fjæra", year: 1924),
        inWatchlist: true,
        watchStatus: .paused
    )
    static let untitled = FilmView(film: Film(id: 8, title: "Untitled"))

    static let entries = [
        ActivityEntry(
            id: 41,
            actor: kari,
            filmID: 1,
            filmTitle: "The Silver Sea",
            filmPosterURL: "https://images.example/w500/sea.jpg",
            type: .review,
            rating: 5,
            comment: "Cold.\nAnd \"silver\". 🌊",
            at: first
        ),
        ActivityEntry(
            id: 40,
            actor: ola,
            filmID: 7,
            filmTitle: "Fjæra",
            filmPosterURL: nil,
            type: .watchlist,
            rating: nil,
            comment: nil,
            at: second
        ),
    ]

    static func instant(_ text: String) -> Timestamp {
        guard let time = Timestamp(iso8601: text) else { preconditionFailure("no time: \(text)") }
        return time
    }

    static func stars(_ halves: Int) -> HalfStars {
        guard let stars = HalfStars(halves: halves) else { preconditionFailure("\(halves)") }
        return stars
    }
}
