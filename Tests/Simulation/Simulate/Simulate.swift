import Foundation
import Simulation

/// Runs worlds, one after the other, and tells which of them break an invariant: `make simulate`.
///
///     simulate FIRST COUNT     so many seeds
///     simulate SEED            one, and all that happens in it
@main
enum Simulate {
    /// More failures than these say nothing new.
    private static let failuresMax = 3

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.compactMap { UInt64($0) }
        switch numbers.count {
        case 1: show(seed: numbers[0])
        case 2: run(first: numbers[0], count: numbers[1])
        default:
            print("usage: simulate FIRST COUNT, or simulate SEED")
            exit(2)
        }
    }

    private static func show(seed: UInt64) {
        var options = WorldOptions()
        options.keepsTrace = true
        let outcome = World(seed: seed, options: options).run()
        for line in outcome.lines { print(line) }
        exit(outcome.violation == nil ? 0 : 1)
    }

    private static func run(first: UInt64, count: UInt64) {
        var failures = 0
        var seeds = 0
        var steps = 0
        var happened: [Happening: Int] = [:]
        for seed in first..<first + count where failures < failuresMax {
            let outcome = World(seed: seed).run()
            seeds += 1
            steps += outcome.step
            happened.merge(outcome.happened) { $0 + $1 }
            guard outcome.violation != nil else { continue }
            print(outcome.report)
            failures += 1
        }
        for happening in Happening.allCases {
            print("\(happened[happening, default: 0]) \(happening.rawValue)")
        }
        print("\(seeds) seeds from \(first), \(steps) steps, \(failures) failures")
        exit(failures == 0 ? 0 : 1)
    }
}
