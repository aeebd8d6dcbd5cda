import Foundation

/// The root of the repository, from this file's place in it.
package let repositoryRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
