import Expectations
import Foundation
import FoundationXML

@testable import varde_load

@Suite("Latency plot: scales and picture", .timeLimit(.minutes(10)))
struct LatencyPlotTests {
    @Test(
        arguments: [
            (0, [0, 200, 400, 600, 800, 1000]), (1_000, [0, 200, 400, 600, 800, 1000]),
            (6_000, [0, 1000, 2000, 3000, 4000, 5000, 6000]), (6_001, [0, 2000, 4000, 6000, 8000]),
            (47_000_000, [0, 10e6, 20e6, 30e6, 40e6, 50e6]),
            (60_000_001, [0, 20e6, 40e6, 60e6, 80e6]),
        ] as [(UInt64, [Double])]
    )
    func latencyAxisHasRoundSteps(most: UInt64, ticks: [Double]) {
        let axis = LatencyAxis(most)
        expectEqual(axis.ticks, ticks)
        expectEqual(axis.fraction(0), 0)
        expect(axis.fraction(Double(most)) <= 1)
    }

    @Test func everyNineTakesTheSameRoom() {
        let axis = PercentileAxis(4)
        let expected = [0, 90, 99, 99.9, 99.99]
        for (index, (tick, value)) in zip(axis.ticks, expected).enumerated() {
            expect(abs(tick - value) < 1e-9)
            expect(abs(axis.fraction(tick) - Double(index) / 4) < 1e-9)
        }
        expectEqual(axis.fraction(100), 1)
        expectEqual(axis.fraction(99.9999), 1, "behind the last tick")
        expectEqual(axis.fraction(-1), 0)
    }

    @Test func ninesAreBounded() {
        expectEqual(PercentileAxis(0).nines, 1)
        expectEqual(PercentileAxis(50).nines, 6)
        expectEqual(PercentileAxis.nines(of: []), 1)
        let points = [99.95, 100].map {
            LatencySummary.Point(percentile: $0, nanoseconds: 1)
        }
        expectEqual(PercentileAxis.nines(of: points), 4)
    }

    private func plot(_ names: [String]) -> LatencyPlot {
        let points = [0.0, 50, 99, 100].map {
            LatencySummary.Point(percentile: $0, nanoseconds: UInt64($0) * 1000)
        }
        return LatencyPlot(
            title: "a < b & \"c\"",
            curves: names.map { LatencyPlot.Curve(name: $0, points: points) }
        )
    }

    @Test func pictureIsWellFormedAndHasACurveForEachSet() throws {
        let counter = ElementCounter()
        let parser = XMLParser(data: Data(plot(["one", "two<"]).svg.utf8))
        parser.delegate = counter
        expect(parser.parse())
        expectEqual(counter.counts["svg"], 1)
        expectEqual(counter.counts["polyline"], 2)
        expect(counter.text.contains("two<"))
        expect(counter.text.contains("a < b & \"c\""))
    }

    @Test func curveRunsFromTheLeftToTheRightInsideThePicture() throws {
        let svg = plot(["one"]).svg
        let list = try require(svg.firstRange(of: "points=\"")).upperBound
        let numbers = svg[list...].prefix { $0 != "\"" }.split(separator: " ").map { pair in
            pair.split(separator: ",").compactMap { Double($0) }
        }
        expectEqual(numbers.count, 4)
        expectEqual(numbers.map { $0[0] }, numbers.map { $0[0] }.sorted())
        expect(numbers.allSatisfy { (0...LatencyPlot.width).contains($0[0]) })
        expect(numbers.allSatisfy { (0...LatencyPlot.height).contains($0[1]) })
    }

    @Test func plotWithoutCurvesIsAPictureToo() {
        expect(XMLParser(data: Data(plot([]).svg.utf8)).parse())
    }

    private final class ElementCounter: NSObject, XMLParserDelegate {
        var counts: [String: Int] = [:]
        var text = ""

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            counts[name, default: 0] += 1
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
    }
}
