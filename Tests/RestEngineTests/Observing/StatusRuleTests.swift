import Testing

@testable import RestEngine

/// 28.1: resources as letters: L loading, D data, E error.
@Suite struct StatusRuleTests {
    private static let all: [StatusRule] = [.loading, .manualLoading, .anyData, .allData, .error]

    private func decide(_ priority: [StatusRule], _ resources: [String], manual: Bool = false)
        -> StatusRule.Decision
    {
        StatusRule.decide(
            priority,
            StatusRule.Facts(
                all: resources.count, loading: resources.count { $0.contains("L") },
                withData: resources.count { $0.contains("D") },
                withError: resources.count { $0.contains("E") }), isLoadingManually: manual)
    }

    @Test(
        arguments: [
            (StatusRule.usual, [], .success), (StatusRule.usual, [""], .success),
            (StatusRule.usual, ["L"], .loading), (StatusRule.usual, ["LDE"], .loading),
            (StatusRule.usual, ["D", "L"], .loading), (StatusRule.usual, ["DE"], .error),
            (StatusRule.usual, ["D", "E", "E"], .error), (StatusRule.usual, ["D"], .success),
            ([.anyData, .loading, .error], ["LDE"], .success),
            ([.anyData, .loading, .error], ["LE"], .loading),
            ([.anyData, .loading, .error], ["E", "D"], .success),
            ([.allData, .error], ["D", "E"], .error), ([.allData, .error], ["D", "DE"], .success),
            ([.allData, .error], [], .success), ([.error, .loading], ["L", "E"], .error),
            ([], ["LE"], .success),
            ([.allData, .loading], ["D", "L"], .loading), ([.anyData], [""], .success),
        ] as [([StatusRule], [String], StatusRule.Decision)])
    func `28.1 the first rule that applies decides`(
        priority: [StatusRule], resources: [String], decision: StatusRule.Decision
    ) {
        #expect(decide(priority, resources) == decision)
    }

    @Test(
        arguments: [
            ([.manualLoading, .anyData, .loading], true, .loading),
            ([.manualLoading, .anyData, .loading], false, .success),
            ([.anyData, .manualLoading], true, .success),
            (StatusRule.usual, true, .error),
        ] as [([StatusRule], Bool, StatusRule.Decision)])
    func `28.1 requests of the user count by their own rule`(
        priority: [StatusRule], manual: Bool, decision: StatusRule.Decision
    ) {
        #expect(decide(priority, ["DE"], manual: manual) == decision)
    }

    @Test func `every rule has a name in scripts`() {
        #expect(
            StatusRule.allCases.map(\.rawValue) == [
                "loading", "manual_loading", "any_data", "all_data", "error",
            ])
        #expect(StatusRule.usual == [.loading, .error, .anyData])
    }
}
