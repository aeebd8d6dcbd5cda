/// What upstreams send that is easily read wrongly, each with its right reading. All of it is
/// invented.
enum AwkwardUpstreams {
    /// A word in an encoding.
    struct Encoded {
        /// A label of the WHATWG's standard.
        var label: String
        var bytes: [UInt8]
        var text: String
        /// A sequence that the encoding lacks and that stands before ASCII; empty if it has all.
        var bad: [UInt8] = []
    }

    static let encodings: [Encoded] = [
        Encoded(
            label: "utf-8",
            bytes: [0xE6, 0x97, 0xA5, 0xC3, 0xA6],
            text: "日æ",
            bad: [0xE6, 0x97]
        ),
        Encoded(label: "shift_jis", bytes: [0x87, 0x40, 0x87, 0x8A], text: "①㈱", bad: [0x83]),
        Encoded(label: "windows-31j", bytes: [0x81, 0x60, 0xFA, 0x40], text: "～ⅰ", bad: [0xA0]),
        Encoded(label: "euc-jp", bytes: [0xAD, 0xA1, 0xA1, 0xC1], text: "①～", bad: [0xA1]),
        Encoded(
            label: "x-euc-jp",
            bytes: [0x8E, 0xB1, 0xC6, 0xFC],
            text: "ｱ日",
            bad: [0x8F, 0xA2]
        ),
        Encoded(
            label: "iso-2022-jp",
            bytes: [0x1B, 0x24, 0x42, 0x2D, 0x21, 0x46, 0x7C, 0x1B, 0x28, 0x42],
            text: "①日",
            bad: [0x80]
        ),
        Encoded(label: "euc-kr", bytes: [0x8C, 0x63, 0xB9, 0xE6], text: "똠방", bad: [0xB0]),
        Encoded(label: "ks_c_5601-1987", bytes: [0xB0, 0xA1], text: "가", bad: [0xFF]),
        Encoded(label: "gb2312", bytes: [0xC4, 0xE3, 0x80], text: "你€", bad: [0xC4]),
        Encoded(label: "gbk", bytes: [0x81, 0x40], text: "丂", bad: [0xFF]),
        Encoded(label: "gb18030", bytes: [0x81, 0x30, 0x89, 0x37], text: "Þ", bad: [0x81]),
        Encoded(label: "big5", bytes: [0xA4, 0x40, 0xA1, 0x45], text: "一‧", bad: [0xA4]),
        Encoded(label: "big5-hkscs", bytes: [0x87, 0x40, 0xA3, 0xE1], text: "䏰€", bad: [0xFF]),
        Encoded(label: "windows-1251", bytes: [0xCD, 0xEE, 0xE2], text: "Нов", bad: [0x98]),
        Encoded(label: "iso-8859-5", bytes: [0xBD, 0xDE, 0xD2], text: "Нов"),
        Encoded(label: "koi8-r", bytes: [0xEE, 0xCF, 0xD7], text: "Нов"),
        Encoded(label: "koi8-u", bytes: [0xAE, 0xA4], text: "ўє"),
        Encoded(label: "ibm866", bytes: [0x8D, 0xAE, 0xA2], text: "Нов"),
        Encoded(label: "x-mac-cyrillic", bytes: [0x8D, 0xEE, 0xE2], text: "Нов"),
        Encoded(label: "iso-8859-1", bytes: [0x93, 0xE6, 0x94], text: "“æ”", bad: [0x81]),
        Encoded(label: "latin1", bytes: [0x80], text: "€"),
        Encoded(label: "iso-8859-2", bytes: [0xB1], text: "ą"),
        Encoded(label: "windows-1250", bytes: [0x9C], text: "ś", bad: [0x81]),
        Encoded(label: "iso-8859-7", bytes: [0xA4, 0xC1], text: "€Α", bad: [0xFF]),
        Encoded(label: "windows-1253", bytes: [0xC1], text: "Α", bad: [0xD2]),
        Encoded(label: "iso-8859-9", bytes: [0xFD, 0x80], text: "ı€", bad: [0x9E]),
        Encoded(label: "windows-1255", bytes: [0xE0], text: "א", bad: [0xFF]),
        Encoded(label: "logical", bytes: [0xE0], text: "א", bad: [0xBF]),
        Encoded(label: "windows-1256", bytes: [0xC7], text: "ا"),
        Encoded(label: "iso-8859-6", bytes: [0xC7], text: "ا", bad: [0xFF]),
        Encoded(label: "windows-1257", bytes: [0xE0], text: "ą", bad: [0xA1]),
        Encoded(label: "windows-1258", bytes: [0xD0, 0xFE], text: "Đ₫", bad: [0x8A]),
        Encoded(label: "tis-620", bytes: [0xA1, 0x80], text: "ก€", bad: [0xFF]),
        Encoded(label: "iso-8859-11", bytes: [0xA1], text: "ก", bad: [0xDB]),
        Encoded(label: "iso-8859-3", bytes: [0xA9], text: "İ", bad: [0xA5]),
        Encoded(label: "l4", bytes: [0xA2], text: "ĸ"),
        Encoded(label: "latin6", bytes: [0xA2], text: "Ē"),
        Encoded(label: "iso-8859-13", bytes: [0xE0], text: "ą"),
        Encoded(label: "iso-8859-14", bytes: [0xA1], text: "Ḃ"),
        Encoded(label: "iso-8859-15", bytes: [0xA4], text: "€"),
        Encoded(label: "iso-8859-16", bytes: [0xA4], text: "€"),
        Encoded(label: "macintosh", bytes: [0x8A, 0xDB], text: "ä€"),
        Encoded(label: "x-user-defined", bytes: [0x80, 0xFF], text: "\u{F780}\u{F7FF}"),
    ]
}
