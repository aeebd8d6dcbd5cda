// RadarContractApp: what the radar's app decodes, and how, written from protocol/radar.md alone.
//
// It shares nothing with the hub, with which it has to be able to disagree: its coding is the one that
// the compiler makes of the properties' names, which are therefore spelled as on the wire.

import Foundation

package enum AppStance: String, Codable, Sendable {
    case `for`
    case against
    case neutral
}

package struct AppInterpretation: Codable, Equatable, Sendable {
    package enum Sentiment: String, Codable, Sendable {
        case positive
        case negative
        case neutral
        case mixed
    }

    package let text: String
    package let category: String
    package let subCategory: String?
    package let tags: [String]
    package let sentiment: Sentiment
}

package struct AppOpinion: Codable, Equatable, Sendable {
    package let id: String
    package let radarId: String
    package let author: String
    package let model: String
    package let content: String
    package let stance: AppStance
    package let confidence: Double
    package let reasoning: String?
    package let createdAt: Date
}

package struct AppRadar: Codable, Equatable, Sendable {
    package let id: String
    package let userId: String
    package let topic: String
    package let interpretation: AppInterpretation
    package let position: AppStance
    package let opinions: [AppOpinion]
    package let lastPolledAt: Date
    package let refreshCount: Int
    package let createdAt: Date
    package let updatedAt: Date
    package let isPublic: Bool
}

package struct AppTrend: Codable, Equatable, Sendable {
    package struct Point: Codable, Equatable, Sendable {
        package let date: Date
        package let forCount: Int
        package let againstCount: Int
        package let neutralCount: Int
        package let totalOpinions: Int
        package let averageConfidence: Double
    }

    package let id: String
    package let radarId: String
    package let data: [Point]
}

/// A message of the app's socket.
package struct AppUpdate: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Sendable {
        case newOpinion
        case positionChange
        case refresh
    }

    /// The names of the cases are on the wire, and what they carry stands behind `_0` there.
    package enum Content: Codable, Equatable, Sendable {
        case opinion(AppOpinion)
        case position(AppStance)
        case radar(AppRadar)
    }

    package let type: Kind
    package let radarId: String
    package let data: Content
}

/// Of every answer that is not a success.
package struct AppError: Codable, Equatable, Sendable {
    package let message: String
    package let code: String?
}

/// Of an answer that says nothing but that it was a success.
package struct AppEmpty: Codable, Equatable, Sendable {}
