import Base

/// 2025-12-21T18:00:00Z: when the stories of these tests begin.
let evening = Timestamp(iso8601: "2025-12-21T18:00:00Z")!

func after(_ seconds: Int64) -> Timestamp {
    evening + .seconds(seconds)
}
