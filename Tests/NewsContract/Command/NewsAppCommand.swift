import Foundation
import NewsContractApp

/// The two news apps at the end of a pipe: they decode what the hub has answered.
///
///     news-app < transcript
///
/// A line of the transcript is `{"kind":…,"text":…}`: which answer it is, and its body. For each one it
/// prints a line with what the app has of it, and it ends with status 1 and the reason at the first
/// that the app would drop.
@main
enum NewsAppCommand {
    private struct Item: Decodable {
        var kind: Kind
        var text: String
    }

    private enum Kind: String, Decodable {
        case feed, personal, groups, signal, preferences, brief, error
        case articles, sources, summary, newsAPIError
    }

    static func main() {
        var lineNumber = 0
        while let line = readLine() {
            lineNumber += 1
            do {
                let item = try JSONDecoder().decode(Item.self, from: Data(line.utf8))
                print(try decoded(Array(item.text.utf8), item.kind))
            } catch {
                FileHandle.standardError.write(Data("line \(lineNumber): \(error)\n\(line)\n".utf8))
                exit(1)
            }
        }
    }

    private static func decoded(_ text: [UInt8], _ kind: Kind) throws -> String {
        switch kind {
        case .feed: try aggregator(FeedResponse.self, text)
        case .personal: try aggregator(PersonalizedFeedResponse.self, text)
        case .groups: try aggregator(StoryGroupsResponse.self, text)
        case .signal: try aggregator(Signal.self, text)
        case .preferences: try aggregator(PreferencesResponse.self, text)
        case .brief: try aggregator(BriefResponse.self, text)
        case .error: try aggregator(ErrorResponse.self, text)
        case .articles: try stories(NewsResponse.self, text)
        case .sources: try stories(SourcesResponse.self, text)
        case .summary: try stories(SummaryResponse.self, text)
        case .newsAPIError: try stories(NewsErrorResponse.self, text)
        }
    }

    private static func aggregator<Value: Codable>(
        _ type: Value.Type,
        _ text: [UInt8]
    ) throws -> String {
        try encoded(try AppDecoder.aggregator(type, from: text))
    }

    private static func stories<Value: Codable>(
        _ type: Value.Type,
        _ text: [UInt8]
    ) throws -> String {
        try encoded(try AppDecoder.stories(type, from: text))
    }

    private static func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
