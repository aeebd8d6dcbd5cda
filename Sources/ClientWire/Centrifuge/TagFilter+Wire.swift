/// The reason why a client's filter is invalid. The client learns only that its request was bad.
enum TagFilterError: Error, Equatable {
    case tooDeep
    case tooManyNodes
    case unknownOperation(String)
    case unknownComparison(String)
    case noKey
    /// A value or values that the comparison lacks, or has no use for.
    case wrongValues(comparison: String)
    /// Children that the operation lacks.
    case wrongNodes(operation: String)
}

extension TagFilter {
    init(_ node: WireFilterNode) throws(TagFilterError) {
        var nodeCount = 0
        self = try Self.filter(node, depth: 1, &nodeCount)
    }

    private static func filter(
        _ node: WireFilterNode,
        depth: Int,
        _ nodeCount: inout Int
    ) throws(TagFilterError) -> TagFilter {
        guard depth <= CentrifugeLimits.filterDepthMax else { throw .tooDeep }
        nodeCount += 1
        guard nodeCount <= CentrifugeLimits.filterNodesMax else { throw .tooManyNodes }
        switch node.op {
        case "": return try comparison(node)
        case "and", "or", "not": break
        default: throw .unknownOperation(node.op)
        }
        guard !node.nodes.isEmpty else { throw .wrongNodes(operation: node.op) }
        var filters: [TagFilter] = []
        for child in node.nodes {
            filters.append(try filter(child, depth: depth + 1, &nodeCount))
        }
        switch node.op {
        case "and": return .all(filters)
        case "or": return .any(filters)
        default:
            guard filters.count == 1 else { throw .wrongNodes(operation: node.op) }
            return .not(filters[0])
        }
    }

    private static func comparison(
        _ node: WireFilterNode
    ) throws(TagFilterError) -> TagFilter {
        let comparison: Comparison
        switch node.cmp {
        case "eq": comparison = .equal(try value(node))
        case "neq": comparison = .notEqual(try value(node))
        case "sw": comparison = .hasPrefix(try value(node))
        case "ew": comparison = .hasSuffix(try value(node))
        case "ct": comparison = .contains(try value(node))
        case "lt": comparison = .lessThan(try value(node))
        case "lte": comparison = .lessOrEqual(try value(node))
        case "gt": comparison = .greaterThan(try value(node))
        case "gte": comparison = .greaterOrEqual(try value(node))
        case "in": comparison = .isIn(try values(node))
        case "nin": comparison = .isNotIn(try values(node))
        case "ex": comparison = try withoutValue(node, .exists)
        case "nex": comparison = try withoutValue(node, .doesNotExist)
        default: throw .unknownComparison(node.cmp)
        }
        guard !node.key.isEmpty else { throw .noKey }
        return .compare(key: node.key, comparison)
    }

    private static func value(_ node: WireFilterNode) throws(TagFilterError) -> String {
        guard !node.val.isEmpty, node.vals.isEmpty else {
            throw .wrongValues(comparison: node.cmp)
        }
        return node.val
    }

    private static func values(_ node: WireFilterNode) throws(TagFilterError) -> [String] {
        guard node.val.isEmpty, !node.vals.isEmpty else {
            throw .wrongValues(comparison: node.cmp)
        }
        return node.vals
    }

    private static func withoutValue(
        _ node: WireFilterNode,
        _ comparison: Comparison
    ) throws(TagFilterError) -> Comparison {
        guard node.val.isEmpty, node.vals.isEmpty else {
            throw .wrongValues(comparison: node.cmp)
        }
        return comparison
    }
}
