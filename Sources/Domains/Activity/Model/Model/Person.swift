/// One user of the film app.
package struct Person: Sendable, Equatable {
    /// Tokens name the user by this number in decimal, and so does the topic `activity:{userId}`.
    package var id: Int
    package var name: String
    package var avatarURL: String?
    package var email: String?
    package var bio: String?
    package var createdAt: Timestamp
    /// The time of the last request or act; nil for an imported person without any.
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

/// The data of a person that others see in addition to a name.
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

/// The relation of a person to another.
package enum FriendStatus: String, Sendable, Equatable, CaseIterable {
    case accepted, pending, blocked
}
