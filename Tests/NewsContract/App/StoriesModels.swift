import Foundation

// The types of an app for NewsAPI, as NewsAPI's documentation of its answers has them. Dates are
// decoded with `.iso8601`, which on Apple's systems takes whole seconds only.

package struct NewsResponse: Codable, Equatable, Sendable {
    package let status: String
    package let totalResults: Int
    package let articles: [Article]
}

package struct Article: Codable, Equatable, Sendable {
    package let source: Source
    package let author: String?
    package let title: String
    package let description: String?
    package let url: URL
    package let urlToImage: URL?
    package let publishedAt: Date
    package let content: String?
    // What the hub adds. An app that does not know these keys ignores them.
    package let summary: String?
    package let summarySource: String?
    package let storyId: Int?
}

package struct Source: Codable, Equatable, Sendable {
    package let id: String?
    package let name: String
}

package struct NewsErrorResponse: Codable, Equatable, Sendable {
    package let status: String
    package let code: String
    package let message: String
}

package struct SummaryResponse: Codable, Equatable, Sendable {
    package let status: String
    package let summary: String
    package let summarySource: String
    package let model: String?
    package let generatedAt: Date?
}

package struct SourcesResponse: Codable, Equatable, Sendable {
    package let status: String
    package let sources: [Entry]

    package struct Entry: Codable, Equatable, Sendable {
        package let id: String
        package let name: String
        package let description: String
        package let url: String
        package let category: String
        package let language: String
        package let country: String
    }
}
