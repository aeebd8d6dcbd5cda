/// The files of a directory that form a MovieLens data set.
///
/// Three forms are supported: comma-separated values with headers (`ml-latest`, `ml-20m` and
/// later), lines with double colons (`ml-1m`, `ml-10m`), and the bars and tabs of `ml-100k`.
package struct MovieLensLayout: Sendable, Equatable {
    package enum Form: String, Sendable, Equatable, CaseIterable {
        case commas, doubleColons, bars
    }

    /// One file and its content.
    package struct File: Sendable, Equatable {
        package enum Content: Sendable, Equatable {
            /// TMDB's id of each film. Before the films.
            case links
            case films
            case ratings
        }

        package let name: String
        package let content: Content
        let form: Form
    }

    /// In the order in which they have to be read.
    package let files: [File]

    /// - Parameter fileNames: of a directory, in any order; other files, and the data set's tags,
    ///   are ignored.
    package init(fileNames: [String]) throws(ImportError) {
        for form in Form.allCases where fileNames.contains(form.fileNames.films) {
            let names = form.fileNames
            let all: [(String?, File.Content)] = [
                (names.links, .links), (names.films, .films), (names.ratings, .ratings),
            ]
            files = all.compactMap { name, content in
                guard let name, fileNames.contains(name) else { return nil }
                return File(name: name, content: content, form: form)
            }
            return
        }
        let expected = Form.allCases.map(\.fileNames.films).joined(separator: ", ")
        throw ImportError("none of \(expected): not a MovieLens data set")
    }
}

extension MovieLensLayout.Form {
    var fileNames: (links: String?, films: String, ratings: String) {
        switch self {
        case .commas: ("links.csv", "movies.csv", "ratings.csv")
        case .doubleColons: (nil, "movies.dat", "ratings.dat")
        case .bars: (nil, "u.item", "u.data")
        }
    }

    var encoding: TextEncoding { self == .commas ? .utf8 : .utf8OrLatin1 }
}

extension MovieLensLayout.File {
    func reader() -> TableReader {
        TableReader(file: name, dialect: dialect, columns: columns)
    }

    private var dialect: CSVReader.Dialect {
        switch form {
        case .commas: .commas
        case .doubleColons: .doubleColons
        case .bars: content == .films ? .bars : .tabs
        }
    }

    /// Id, title and genres or release date of films; person, film, stars and time of ratings; film
    /// and TMDB's id of links.
    private var columns: TableColumns {
        switch (form, content) {
        case (_, .links): .named(["movieId", "tmdbId"])
        case (.commas, .films): .named(["movieId", "title", "genres"])
        case (.commas, .ratings): .named(["userId", "movieId", "rating", "timestamp"])
        case (.doubleColons, .films): .all(3)
        case (.doubleColons, .ratings): .all(4)
        case (.bars, .films): .all(MovieLensRow.firstFlag + MovieLensRow.flaggedGenres.count)
        case (.bars, .ratings): .all(4)
        }
    }
}
