// varde-fuzz: `varde-fuzz TARGET` and libFuzzer's arguments; `varde-fuzz --list` for Fuzz/run.sh.

import CLibFuzzer
import FuzzKit
import FuzzTargets

@main
enum FuzzRunner {
    /// The target of this process: libFuzzer's callback has no argument for it.
    private static let target = FuzzTarget.all.first { $0.name == CommandLine.arguments[1] }

    static func main() {
        if CommandLine.arguments.dropFirst() == ["--list"] {
            for target in FuzzTarget.all {
                print(target.name, target.lengthMax, target.dictionary)
            }
            return
        }
        guard CommandLine.argc > 1, target != nil else {
            fatalError("usage: varde-fuzz TARGET [OPTION]... [FOLDER OR FILE]...")
        }
        // libFuzzer reads its arguments behind the program's name; the target takes that place.
        var count = CommandLine.argc - 1
        var arguments = CommandLine.unsafeArgv + 1
        withUnsafeMutablePointer(to: &arguments) { pointer in
            pointer.withMemoryRebound(
                to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self,
                capacity: 1
            ) { rebound in
                _ = LLVMFuzzerRunDriver(&count, rebound) { bytes, length in
                    FuzzRunner.run(UnsafeBufferPointer(start: bytes, count: length))
                    return 0
                }
            }
        }
    }

    private static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        do {
            try target?.check(Array(bytes))
        } catch {
            fatalError("\(error)")
        }
    }
}
