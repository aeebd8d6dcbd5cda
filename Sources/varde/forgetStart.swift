import CLinux

/// Gives back the pages of the program that only its start has used, once that is over.
///
/// The kernel maps up to sixteen pages of a file for each one that is touched, so at the end of the start most of
/// the program counts as resident. What is used from here on comes back from the page cache, page by page.
func forgetStart() async throws {
    // Upstreams are polled for the first time, and timers set.
    try await Task.sleep(for: .seconds(3))
    varde_forget_program_pages()
}
