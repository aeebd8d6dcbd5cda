import Glibc

/// One line on standard error that says how far a run is: written over itself on a terminal, one below the
/// other elsewhere.
struct ProgressLine: Sendable {
    private let isShown: Bool
    private let isTerminal: Bool

    init(isShown: Bool) {
        self.isShown = isShown
        isTerminal = isatty(STDERR_FILENO) == 1
    }

    func show(_ text: String) {
        guard isShown else { return }
        write(isTerminal ? "\r\u{1B}[K\(text)" : text + "\n")
    }

    func clear() {
        if isShown, isTerminal { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
