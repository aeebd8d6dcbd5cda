import HubTesting
import Repository

/// docs/reference/metrics.md, generated from what a scraper of a hub with every domain gets.
enum MetricsReference {
    static let path = repositoryRoot + "/docs/reference/metrics.md"

    private static let introduction = """
        # Metrics reference

        This page lists every metric with its labels, its type, and what it counts.
        [OPERATIONS.md](../OPERATIONS.md#metrics) groups the metrics by question and names the values of the labels.

        The page is generated from the answer of `GET /metrics`. After a change there, run `make reference`.

        Times are in seconds. A histogram `x` has the series `x_bucket{le}`, `x_sum` and `x_count`.

        | metric | type | meaning |
        | --- | --- | --- |

        """

    static func page(_ families: [Exposition.Family]) -> String {
        introduction + families.map(row).joined()
    }

    private static func row(_ family: Exposition.Family) -> String {
        let names = Set(family.samples.flatMap(\.labels.keys)).subtracting(["le"]).sorted()
        let labels = names.isEmpty ? "" : "{\(names.joined(separator: ","))}"
        return "| `\(family.name)\(labels)` | \(family.type) | \(family.help) |\n"
    }
}
