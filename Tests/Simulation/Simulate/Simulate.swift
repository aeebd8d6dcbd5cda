import Foundation
import Simulation

/// Runs worlds, one after the other, and tells which of them break an invariant: `make simulate`.
///
///     simulate FIRST COUNT            so many seeds, with one hub
///     simulate SEED                   one, and all that happens in it
///     simulate cluster FIRST COUNT    the same with several nodes
///     simulate cluster SEED
@main
enum Simulate {
    private enum Kind: String {
        case hub, cluster

        func run(seed: UInt64, keepsTrace: Bool = false) -> WorldOutcome {
            switch self {
            case .hub:
                var options = WorldOptions()
                options.keepsTrace = keepsTrace
                return World(seed: seed, options: options).run()
            case .cluster: return ClusterWorld(seed: seed, keepsTrace: keepsTrace).run()
            }
        }

        var happenings: [Happening] {
            switch self {
            case .hub: Happening.ofOneHub
            case .cluster: Happening.ofCluster
            }
        }
    }

    /// More failures than these say nothing new.
    private static let failuresMax = 3

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let kind = arguments.first.flatMap { Kind(rawValue: $0) } ?? .hub
        let numbers = arguments.compactMap { UInt64($0) }
        switch numbers.count {
        case 1: show(kind, seed: numbers[0])
        case 2: run(kind, first: numbers[0], count: numbers[1])
        default:
            print("usage: simulate [cluster] FIRST COUNT, or simulate [cluster] SEED")
            exit(2)
        }
    }

    private static func show(_ kind: Kind, seed: UInt64) {
        let outcome = kind.run(seed: seed, keepsTrace: true)
        for line in outcome.lines { print(line) }
        exit(outcome.violation == nil ? 0 : 1)
    }

    private static func run(_ kind: Kind, first: UInt64, count: UInt64) {
        var failures = 0
        var seeds = 0
        var steps = 0
        var happened: [Happening: Int] = [:]
        for seed in first..<first + count where failures < failuresMax {
            let outcome = kind.run(seed: seed)
            seeds += 1
            steps += outcome.step
            happened.merge(outcome.happened) { $0 + $1 }
            guard outcome.violation != nil else { continue }
            print(outcome.report)
            failures += 1
        }
        for happening in kind.happenings {
            print("\(happened[happening, default: 0]) \(happening.rawValue)")
        }
        let worlds = kind == .hub ? "seeds" : "seeds of several nodes"
        print("\(seeds) \(worlds) from \(first), \(steps) steps, \(failures) failures")
        exit(failures == 0 ? 0 : 1)
    }
}
