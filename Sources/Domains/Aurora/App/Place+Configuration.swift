import Aurora
import Configuration

extension Place {
    package init(_ place: Configuration.Place) throws(PlaceError) {
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
