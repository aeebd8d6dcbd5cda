import Foundation

/// The text of demo/replay.yaml without the recordings and the track of one product: for tests that
/// know only the other upstreams.
///
/// Recordings and tracks are paragraphs; those of a product are not in one with others.
package func demoManifest(without product: String) throws -> String {
    let text = try String(contentsOfFile: repositoryRoot + "/demo/replay.yaml", encoding: .utf8)
    let kept = text.components(separatedBy: "\n\n").filter { paragraph in
        !paragraph.contains("\n    product: \(product)\n")
            && !paragraph.hasPrefix("  \(product):\n")
    }
    let joined = kept.joined(separator: "\n\n")
    return joined.hasSuffix("\n") ? joined : joined + "\n"
}
