import Activity
import ActivityApp
import CommandKit
import Foundation

package struct RecommendCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "recommend",
        abstract: "Looks into the film app's recommendations.",
        subcommands: [RecommendEvaluateCommand.self]
    )

    package init() {}
}

struct RecommendEvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Compares recommendations with popularity on a MovieLens data set.",
        discussion: """
            The last fifth of each person's ratings is held out; the model is built of the others. \
            docs/RECOMMENDATIONS.md explains the figures. Nothing is stored.
            """
    )

    @Argument(help: "The directory with movies.csv and ratings.csv.", completion: .directory)
    var directory: String

    func run() async throws {
        let target = CollectedImport()
        let importer = CatalogueImporter(target: target, now: HubClock.wall) { say($0) }
        do {
            _ = try await importer.movieLens(directory: directory)
        } catch {
            throw Failure("\(error)")
        }
        let start = ContinuousClock.now
        let report = evaluate(ratings: await target.ratings, films: await target.films) {
            ContinuousClock.now - start
        }
        say(report.text)
    }
}

/// An import that stays in memory.
actor CollectedImport: ImportTarget {
    private(set) var films: [Film] = []
    private(set) var ratings: [TasteRating] = []
    private var ids: [String: Int] = [:]

    func store(_ batch: ImportBatch) -> ImportedRows {
        let knownCount = ids.count
        var given: [Int] = []
        switch batch {
        case .films(let batch):
            given = batch.map { id(of: "film \($0.key)") }
            films += zip(batch, given).map { $0.film(id: $1, over: nil) }
        case .people(let people):
            given = people.map { id(of: "person \($0.subject)") }
        case .ratings(let batch):
            ratings += batch.map {
                TasteRating(personID: $0.personID, filmID: $0.filmID, stars: $0.stars, at: $0.at)
            }
        }
        return ImportedRows(ids: given, newCount: ids.count - knownCount)
    }

    private func id(of key: String) -> Int {
        let id = ids[key] ?? ids.count + 1
        ids[key] = id
        return id
    }
}
