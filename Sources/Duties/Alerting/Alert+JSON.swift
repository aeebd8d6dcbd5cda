import Configuration

extension Configuration.Alert {
    /// Writes the rule in the form of the API, with its defaults; fields without a value are
    /// omitted.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("name", name)
            json.field("topics", topics)
            json.field("when", when)
            if let until { json.field("until", until) }
            json.field("hold", UnitText.text(hold))
            json.field("keep", UnitText.text(keep))
            json.field("cooldown", UnitText.text(cooldown))
            json.field("severity", severity.rawValue)
            json.array("escalate") { json in
                for escalation in escalate {
                    json.object {
                        $0.field("severity", escalation.severity.rawValue)
                        $0.field("when", escalation.when)
                    }
                }
            }
            if let language { json.field("language", language) }
            guard let quiet else { return }
            json.object("quiet") {
                $0.field("from", quiet.from)
                $0.field("to", quiet.to)
                $0.field("zone", quiet.zone.name)
            }
        }
    }

    package var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }
}
