import DomainKit

extension HubStore {
    /// The user data of radars: the user's radars. Opinions belong to sources.
    var radarUserData: [UserDataSection] {
        [
            UserDataSection("radars", tables: ["radar"]) { user, after, limit in
                let radars = try await self.readRadars {
                    try $0.radars(of: user, limit: limit, offset: after)
                }
                return radars.enumerated().map { index, radar in
                    var json = JSONWriter()
                    json.object { json in
                        json.field("id", radar.id)
                        json.field("topic", radar.topic)
                        json.field("visibility", radar.isPublic ? "public" : "private")
                        json.field("position", radar.position)
                        json.field("created_at", radar.createdAt.iso8601Seconds)
                        json.field("updated_at", radar.updatedAt.iso8601Seconds)
                    }
                    return UserDataRow(key: after + index + 1, json: json.bytes)
                }
            }
        ]
    }
}
