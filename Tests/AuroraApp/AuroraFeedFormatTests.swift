import Aurora
import Expectations
import Service

@testable import AuroraApp

@Suite("Which bodies a feed is read to their end", .timeLimit(.minutes(10)))
struct AuroraFeedFormatTests {
    private static let outlook = """
        :Product: 27-day Space Weather Outlook Table 27DO.txt
        #  Date       10.7 cm      A Index    Kp Index
        2025 Jan 06     172          22          5

        """

    @Test func outlookIsATextInAnyNumberOfPieces() {
        let format = AuroraProduct.kOutlook.format
        expectEqual(format.accept, "text/plain")
        for beginning in [":", "#", "2025 Jan", " \r\n\t# "] + [AuroraFeedFormatTests.outlook] {
            let bytes = Array(beginning.utf8)
            for end in 0...bytes.count {
                expect(format.mayBegin(Array(bytes[..<end])), "\(beginning) up to \(end)")
            }
        }
    }

    @Test(arguments: ["<html>", "{\"a\":1}", "[]", "\0\0", "  Not Found"])
    func somethingElseIsNoOutlook(body: String) {
        expect(!AuroraProduct.kOutlook.format.mayBegin(Array(body.utf8)))
    }

    @Test(arguments: AuroraProduct.allCases.filter { $0 != .kOutlook })
    func otherProductsAreJSON(product: AuroraProduct) {
        expectEqual(product.format.accept, "application/json")
        expect(product.format.mayBegin(Array("[1".utf8)))
        expect(!product.format.mayBegin(Array(AuroraFeedFormatTests.outlook.utf8)))
    }
}
