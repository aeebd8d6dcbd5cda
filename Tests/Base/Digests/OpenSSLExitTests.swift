import Base
import COpenSSL
import Expectations
import Foundation

@Suite("OpenSSL at the end of the process", .timeLimit(.minutes(10)))
struct OpenSSLExitTests {
    /// Threads that are still running use what OpenSSL would free at exit.
    @Test func exitFreesNothingThatThreadsUse() async {
        await #expect(processExitsWith: .exitCode(7)) {
            _ = Base.randomBytes(1)
            // Called when OpenSSL begins to free.
            precondition(OPENSSL_atexit { _exit(1) } == 1)
            exit(7)
        }
    }
}
