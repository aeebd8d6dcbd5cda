import Foundation
import RadarContractApp

/// Texts as the hub sends them, with places to spoil.
enum GoldenText {
    /// An hour after everything in the texts.
    static let now = Date(timeIntervalSince1970: 1_767_351_600)  // 2026-01-02T11:00:00Z

    static let interpretation = """
        {"text":"Whether four days of work should be the week.","category":"work",\
        "subCategory":null,"tags":["work","week"],"sentiment":"mixed","source":"lexical"}
        """

    /// With `createdAt` in JSON, which is a text in answers and a number in updates.
    static func opinion(createdAt: String = #""2026-01-02T10:00:00Z""#) -> String {
        """
        {"id":"o1","radarId":"r1","author":"claude","model":"claude-sonnet-4-5-20250929",\
        "content":"Trials went well.","stance":"for","confidence":0.64,"reasoning":null,\
        "createdAt":\(createdAt)}
        """
    }

    static func radar(
        date: String = #""2026-01-02T10:00:00Z""#,
        opinions: String = ""
    ) -> String {
        """
        {"id":"r1","userId":"ann","topic":"four-day working week",\
        "interpretation":\(interpretation),"position":"neutral","opinions":[\(opinions)],\
        "lastPolledAt":\(date),"refreshCount":0,"createdAt":\(date),"updatedAt":\(date),\
        "isPublic":false}
        """
    }

    static func trend(days: [String] = ["2026-01-01", "2026-01-02"]) -> String {
        let points = days.map { day in
            """
            {"date":"\(day)T00:00:00Z","forCount":1,"againstCount":0,"neutralCount":2,\
            "totalOpinions":3,"averageConfidence":0.5}
            """
        }
        return """
            {"id":"r1","radarId":"r1","data":[\(points.joined(separator: ","))],"slope":null}
            """
    }

    /// 2026-01-02T10:00:00Z in seconds since 2001.
    static let dateOfUpdates = "789040800"

    static func update(type: String, data: String) -> String {
        #"{"type":"\#(type)","radarId":"r1","data":\#(data)}"#
    }

    static let newOpinion = update(
        type: "newOpinion",
        data: #"{"opinion":{"_0":\#(opinion(createdAt: dateOfUpdates))}}"#
    )
    static let positionChange = update(
        type: "positionChange",
        data: #"{"position":{"_0":"for"}}"#
    )
    static let refresh = update(
        type: "refresh",
        data: """
            {"radar":{"_0":\(radar(
                date: dateOfUpdates, opinions: opinion(createdAt: dateOfUpdates)
            ))}}
            """
    )

    static let all: [(kind: TranscriptItem.Kind, text: String)] = [
        (.interpretation, interpretation),
        (.opinion, opinion()),
        (.opinions, "[\(opinion()),\(opinion())]"),
        (.opinions, "[]"),
        (.radar, radar()),
        (.radar, radar(opinions: opinion())),
        (.radars, "[\(radar())]"),
        (.radars, "[]"),
        (.trend, trend()),
        (.error, #"{"message":"there is no such radar","code":"RADAR_NOT_FOUND"}"#),
        (.empty, "{}"),
        (.update, newOpinion),
        (.update, positionChange),
        (.update, refresh),
    ]
}
