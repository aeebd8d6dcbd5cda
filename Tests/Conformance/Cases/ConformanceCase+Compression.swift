/// Groups 12 and 13: permessage-deflate (RFC 7692) with different data and different parameters.
extension ConformanceCase {
    package static let compression =
        CompressionData.all.enumerated().flatMap { index, data in
            messages(group: "12.\(index + 1)", data, [CompressionOffer()])
        }
        + parameters.enumerated().flatMap { index, offers in
            messages(group: "13.\(index + 1)", .records, offers)
        }

    /// What is asked of the server's direction. The last client has a wish, a smaller one and none.
    private static let parameters = [
        [CompressionOffer()],
        [CompressionOffer(asksForNoTakeover: true)],
        [CompressionOffer(windowBitsMax: 9)],
        [CompressionOffer(windowBitsMax: 15)],
        [CompressionOffer(asksForNoTakeover: true, windowBitsMax: 9)],
        [CompressionOffer(asksForNoTakeover: true, windowBitsMax: 15)],
        [
            CompressionOffer(asksForNoTakeover: true, windowBitsMax: 9),
            CompressionOffer(asksForNoTakeover: true), CompressionOffer(),
        ],
    ]

    /// Lengths of messages, and of their fragments.
    private static let forms: [(length: Int, fragmentLength: Int?)] =
        [16, 64, 256, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10]
        .map { ($0, nil) }
        + [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10].map { ($0, 256) }
        + [1 << 10, 4 << 10, 32 << 10].map { (128 << 10, $0) }

    private static let messageCount = 1000

    private static func messages(
        group: String,
        _ data: CompressionData,
        _ offers: [CompressionOffer]
    ) -> [ConformanceCase] {
        forms.enumerated().map { index, form in
            let fragments = form.fragmentLength.map { " in fragments of \($0)" } ?? ""
            return ConformanceCase(
                "\(group).\(index + 1)",
                "\(data.name), \(messageCount) messages of \(form.length) bytes\(fragments)",
                compressionOffers: offers
            ) {
                let exchange = Exchange(
                    count: messageCount,
                    opcode: data.isText ? Frame.textOpcode : Frame.binaryOpcode,
                    fragmentLength: form.fragmentLength
                ) { data.message($0, length: form.length) }
                return Script(steps: [.exchange(exchange)], ending: .clean)
            }
        }
    }
}
