import Expectations
import Wire

@testable import Service

@Suite("Freshness of key sets", .timeLimit(.minutes(10)))
struct KeySetFreshnessTests {
    @Test(
        arguments: [
            (cacheControl: "max-age=300", age: nil, seconds: 300),
            ("public, max-age=300", "100", 200), ("max-age=300", "400", 0),
            ("max-age=300", "x", 300),
            ("max-age=300", "-9223372036854775808", 300), ("no-store", "1", nil),
            // Beyond what can be counted, and invalid.
            ("max-age=9223372036854775808", nil, 1 << 31),
            ("max-age=9223372036854775807", "9223372036854775807", 0),
            ("max-age=-9223372036854775808", "1", 0), ("max-age=-1", nil, 0), ("max-age=", "1", 0),
        ] as [(cacheControl: String, age: String?, seconds: Int?)]
    )
    func ageOfTheAnswerIsSubtracted(cacheControl: String, age: String?, seconds: Int?) {
        var headers: HTTPHeaders = ["Cache-Control": cacheControl]
        if let age { headers.append("Age", age) }
        expectEqual(KeySetFetcher.maxAge(headers), seconds.map { .seconds($0) })
    }
}
