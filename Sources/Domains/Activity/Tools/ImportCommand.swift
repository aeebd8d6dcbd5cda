// ActivityTools: imports films and ratings, and evaluates recommendations.

import Activity
import ActivityApp
import CommandKit
import Foundation
import Hub

package struct ImportCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Loads a catalogue of films, and ratings with it, into the hub's database.",
        discussion: """
            The hub must not be running. Existing films and ratings are changed and not added again, \
            so an import can be repeated. Invalid rows are reported and left out.
            """,
        subcommands: [
            ImportMovieLensCommand.self, ImportTMDBCommand.self, ImportCatalogueCommand.self,
        ]
    )

    package init() {}
}

/// A command that reads one catalogue.
protocol CatalogueCommand: DomainCommand {
    var options: ImportOptions { get }

    /// Checks that there is something to read. A command that fails so leaves no new database behind.
    func checkFiles() throws

    func load(_ importer: CatalogueImporter) async throws -> ImportReport
}

package struct ImportMovieLensCommand: CatalogueCommand {
    package static let configuration = CommandConfiguration(
        commandName: "movielens",
        abstract: "Loads a MovieLens data set: films, and ratings of people without names.",
        discussion: """
            Reads movies.csv, ratings.csv and links.csv, or the files of ml-1m, ml-10m and ml-100k. The data \
            sets have terms of their own; they are not part of Varde.
            """
    )

    @Argument(help: "The directory with the data set's files.", completion: .directory)
    var directory: String

    @Option(
        help: "The name of the data set, if it is not that of the directory: a database has one."
    )
    var dataSet: String?

    @OptionGroup var options: ImportOptions

    package init() {}

    func checkFiles() throws { try CatalogueImporter.checkMovieLens(directory: directory) }

    func load(_ importer: CatalogueImporter) async throws -> ImportReport {
        try await importer.movieLens(directory: directory, name: dataSet)
    }
}

package struct ImportTMDBCommand: CatalogueCommand {
    package static let configuration = CommandConfiguration(
        commandName: "tmdb",
        abstract: "Loads answers of TMDB's API: films with posters and overviews.",
        discussion: """
            Reads every file that ends with .json: documents of films and pages of lists. TMDB's terms ask \
            for a licence for commercial use, and for the attribution in docs/CATALOGUES.md.
            """
    )

    @Argument(help: "The directory with the answers.", completion: .directory)
    var directory: String

    @OptionGroup var options: ImportOptions

    package init() {}

    func checkFiles() throws {
        for path in try CatalogueImporter.tmdbFiles(in: directory) { try checkIsReadable(path) }
    }

    func load(_ importer: CatalogueImporter) async throws -> ImportReport {
        try await importer.tmdb(directory: directory)
    }
}

package struct ImportCatalogueCommand: CatalogueCommand {
    package static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Loads a catalogue in the hub's own form, such as demo/catalogue.json."
    )

    @Argument(help: "The file.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var options: ImportOptions

    package init() {}

    func checkFiles() throws { try checkIsReadable(file) }

    func load(_ importer: CatalogueImporter) async throws -> ImportReport {
        try await importer.catalogue(file: file)
    }
}

extension CatalogueCommand {
    package func run(_ domains: [any Domain.Type]) async throws {
        // Only parsed options have their defaults; options made by `init` trap when they are read.
        var source = try ConfigurationOptions.parse([])
        source.config = options.config
        source.database = options.database
        let environment = ProcessInfo.processInfo.environment
        let loaded = try source.load(environment: environment, domains: domains)
        do {
            try checkFiles()
            let report = try await HubService.withStore(
                loaded,
                environment: environment,
                domains: domains
            ) { store in
                let target = StoreImportTarget(hubStore: store)
                return try await load(
                    CatalogueImporter(target: target, now: HubClock.wall) { say($0) }
                )
            }
            say("\(report)")
        } catch {
            throw Failure("nothing more was imported: \(error)")
        }
    }
}

/// The options that select the hub's database for an import.
struct ImportOptions: ParsableArguments {
    @Option(help: "The configuration file, YAML.", completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @Option(help: "The database file.", completion: .file())
    var database: String?
}
