import Aurora
import DomainKit

extension Place {
    package init(_ place: AuroraSection.Place) throws(PlaceError) {
        try self.init(
            id: place.id,
            name: place.name,
            latitude: place.latitude,
            longitude: place.longitude,
            altitude: place.altitude,
            zone: place.timeZone
        )
    }
}
