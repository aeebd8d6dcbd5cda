import Foundation

extension Configuration.LoopCount {
    var count: Int {
        switch self {
        case .automatic: ProcessInfo.processInfo.activeProcessorCount
        case .count(let count): count
        }
    }
}
