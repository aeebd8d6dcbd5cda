import Expectations
import Foundation

@testable import Aurora

@Suite("Place", .timeLimit(.minutes(10)))
struct PlaceTests {
    @Test func placeThatWasStoredWithoutAZoneReadsBack() throws {
        let stored = #"{"id":"alta","name":"Alta","latitude":70,"longitude":23,"altitude":1}"#
        let place = try JSONDecoder().decode(Place.self, from: Data(stored.utf8))
        expectEqual(place.zone, .utc)
        expectEqual(place.latitude, 70)
    }

    @Test func identifierOfTheMapIsTaken() {
        #expect(throws: PlaceError.reservedID) {
            try Place(id: "oval", name: "Oval", latitude: 0, longitude: 0)
        }
    }

    @Test func tromsoIsWhereTheAppShowsIt() {
        let place = Place.tromso
        expectEqual(place.id, "tromso")
        expectEqual(place.name, "Tromsø")
        expectEqual(place.latitude, 69.6492)
        expectEqual(place.longitude, 18.9553)
    }

    @Test(arguments: ["a", "alta-2", "nord_kapp", String(repeating: "x", count: 64)])
    func idOfTopicCharactersIsTaken(id: String) throws {
        let place = try Place(id: id, name: "Somewhere", latitude: -90, longitude: 180)
        expectEqual(place.id, id)
        expectEqual(auroraTopic(place).name, "aurora:\(id)")
        expectEqual(auroraAlertsTopic(place).name, "aurora:\(id):alerts")
    }

    @Test(arguments: ["", "Alta", "a:b", "a b", "ø", "a/b", String(repeating: "x", count: 65)])
    func otherIDIsRefused(id: String) {
        #expect(throws: PlaceError.invalidID(id)) {
            _ = try Place(id: id, name: "Somewhere", latitude: 0, longitude: 0)
        }
    }

    @Test func coordinatesHaveTheirRanges() {
        func place(_ latitude: Double, _ longitude: Double, _ altitude: Double) -> Place? {
            try? Place(
                id: "a",
                name: "",
                latitude: latitude,
                longitude: longitude,
                altitude: altitude
            )
        }
        expect(place(90, -180, 9000) != nil)
        expect(place(-90, 180, -500) != nil)
        expectNil(place(90.01, 0, 0))
        expectNil(place(.nan, 0, 0))
        expectNil(place(0, -180.01, 0))
        expectNil(place(0, .infinity, 0))
        expectNil(place(0, 0, 9000.5))
        expectNil(place(0, 0, -501))
    }

    @Test func errorsShowTheValue() {
        expectEqual(PlaceError.latitudeOutOfRange(91).description, "latitude 91.0 outside -90…90")
        expectEqual(
            PlaceError.longitudeOutOfRange(181).description,
            "longitude 181.0 outside -180…180"
        )
        expectEqual(
            PlaceError.altitudeOutOfRange(9999).description,
            "altitude 9999.0 outside -500…9000 m"
        )
        expectEqual(
            PlaceError.invalidID("A").description,
            "place id 'A' is not 1 to 64 of a-z, 0-9, '-', '_'"
        )
    }
}
