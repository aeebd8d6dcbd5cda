import Timekeeping

/// One user of the film app.
package struct Person: Sendable, Equatable {
    /// Tokens name the user by this number in decimal, and so does the topic `activity:{userId}`.
    package var id: Int
    package var name: String
    package var avatarURL: String?
    package var email: String?
    package var bio: String?
    package var createdAt: Timestamp
    /// Of the last request or act; nil for somebody who was imported and never came.
    package var lastActiveAt: Timestamp?

    package init(
        id: Int,
        name: String,
        avatarURL: String? = nil,
        email: String? = nil,
        bio: String? = nil,
        createdAt: Timestamp,
        lastActiveAt: Timestamp? = nil
    ) {
        self.id = id
        self.name = name
        self.avatarURL = avatarURL
        self.email = email
        self.bio = bio
        self.createdAt = createdAt
        self.lastActiveAt = lastActiveAt
    }
}

/// What others see of a person beside a name.
package struct PersonCard: Sendable, Equatable {
    package var id: Int
    package var name: String
    package var avatarURL: String?

    package init(id: Int, name: String, avatarURL: String?) {
        self.id = id
        self.name = name
        self.avatarURL = avatarURL
    }
}

/// How a person stands to another.
package enum FriendStatus: String, Sendable, Equatable, CaseIterable {
    case accepted, pending, blocked
}
