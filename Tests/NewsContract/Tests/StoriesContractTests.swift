import Expectations
import Foundation
import News
import NewsContractApp

@Suite("NewsStories decodes the forms of /v2", .timeLimit(.minutes(10)))
struct StoriesContractTests {
    private func decoded<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try AppDecoder.stories(type, from: bytes)
    }

    @Test func appHasTheValuesOfAnArticle() throws {
        let page = NewsAPIPage(totalResults: 41, articles: [HubForms.article])
        let response = try decoded(NewsResponse.self, page.json())
        expectEqual(response.status, "ok")
        expectEqual(response.totalResults, 41)
        let article = try require(response.articles.first)
        expect(article.source.id == "fed" && article.source.name == "Federal Reserve")
        expectEqual(article.title, HubForms.hardText)
        expectEqual(article.url.query(), "a=1&b=2")
        expect(article.urlToImage != nil)
        expectEqual(article.publishedAt, Date(timeIntervalSince1970: 1_767_348_000))
        expectEqual(article.summarySource, "ai")
        expectEqual(article.storyId, 7)
    }

    @Test func appDecodesAnArticleWithoutAnythingThatMayBeMissing() throws {
        let page = NewsAPIPage(totalResults: 1, articles: [HubForms.bareArticle])
        let article = try require(decoded(NewsResponse.self, page.json()).articles.first)
        expectNil(article.source.id)
        expect(article.author == nil && article.description == nil && article.content == nil)
        expect(article.urlToImage == nil && article.summary == nil && article.storyId == nil)
    }

    @Test func appDecodesAPagePastTheEnd() throws {
        let page = NewsAPIPage(totalResults: 41, articles: [])
        try expect(decoded(NewsResponse.self, page.json()).articles.isEmpty)
    }

    @Test func appDecodesBothKindsOfSummaries() throws {
        let ai = NewsSummaryView(
            text: HubForms.hardText,
            source: .ai,
            model: "m",
            generatedAt: HubForms.time
        )
        let decodedAI = try decoded(SummaryResponse.self, ai.json())
        expectEqual(decodedAI.summary, HubForms.hardText)
        expectEqual(decodedAI.model, "m")
        expect(decodedAI.generatedAt != nil)
        let original = NewsSummaryView(text: "", source: .original)
        let decodedOriginal = try decoded(SummaryResponse.self, original.json())
        expectEqual(decodedOriginal.summarySource, "original")
        expect(decodedOriginal.model == nil && decodedOriginal.generatedAt == nil)
    }

    @Test func appDecodesSources() throws {
        let source = NewsAPISourceView(id: "fed", name: "Federal Reserve")
        let response = try decoded(SourcesResponse.self, newsAPISourcesJSON([source]))
        expectEqual(response.sources.first?.name, "Federal Reserve")
        expectEqual(response.sources.first?.country.isEmpty, true)
    }

    @Test(arguments: NewsAPIError.Code.allCases)
    func appDecodesEveryError(code: NewsAPIError.Code) throws {
        let error = NewsAPIError(code, HubForms.hardText)
        let response = try decoded(NewsErrorResponse.self, error.json())
        expectEqual(response.status, "error")
        expectEqual(response.code, code.rawValue)
        expectEqual(response.message, HubForms.hardText)
        #expect(throws: DecodingError.self) { try decoded(NewsResponse.self, error.json()) }
    }
}
