import RestEngine
import TestSupport
import Testing

/// Random loads, overrides, cancels and wipes, with answers in any order; then the conditions that must hold
/// in any case.
@Suite(.leakChecked) @EngineActor
struct ResourceFuzzTests {
    let fixture = EngineFixture()

    @EngineActor
    private final class Model {
        var random: SeededRandom
        /// The number of loads and local changes, in the order of starting.
        var last = 0
        var loads: [Int: (request: Request, fails: Bool)] = [:]
        var overrides: Set<Int> = []
        /// Events before it don't count.
        var wipe = 0
        var completions: [Int: Int] = [:]
        var nextFails = false

        init(seed: UInt64) { random = SeededRandom(seed: seed) }

        func newest(thatFails fails: Bool) -> Int {
            var numbers = fails ? [] : Array(overrides)
            for (number, load) in loads where load.fails == fails {
                if !load.request.isCancelled { numbers.append(number) }
            }
            return numbers.filter { $0 > wipe }.max() ?? 0
        }
    }

    @Test(arguments: 0..<40)
    func `D2 5.2 8.8 21 seeded: the last started wins, every hook runs once, the lists end empty`(
        seed: UInt64
    ) throws {
        let model = Model(seed: seed)
        try fixture.transport.stub(method: "GET", urlGlob: "**") { _ in
            let delay = Double(model.random.int(below: 4))
            let text = "\(model.last)"
            return model.nextFails
                ? .text(500, text, delay: Duration(inSeconds: delay))
                : .text(200, text, delay: Duration(inSeconds: delay))
        }
        let resource = fixture.resource("a")
        for _ in 0..<60 { step(model, resource) }
        fixture.advance(10)

        #expect(!resource.isLoading && !resource.isRequesting)
        let (data, failure) = (model.newest(thatFails: false), model.newest(thatFails: true))
        #expect(resource.latestData?.content.text ?? "0" == "\(data)")
        #expect((resource.latestError != nil) == (failure > data))
        #expect(model.completions == model.loads.mapValues { _ in 1 })
        #expect(fixture.transport.transfersInFlight == 0)
        model.loads = [:]
    }

    private func step(_ model: Model, _ resource: Resource) {
        switch model.random.int(below: 12) {
        case 0..<5:
            model.last += 1
            model.nextFails = model.random.int(below: 3) == 0
            let number = model.last
            let request = resource.load().onCompletion { _ in model.completions[number, default: 0] += 1 }
            model.loads[number] = (request, model.nextFails)
        case 5:
            model.last += 1
            model.overrides.insert(model.last)
            resource.overrideLocalContent(.text("\(model.last)"))
        case 6:
            resource.loadRequests.randomElement(using: &model.random)?.cancel()
        case 7 where model.random.int(below: 4) == 0:
            model.last += 1
            model.wipe = model.last
            resource.wipe()
            #expect(resource.latestData == nil && resource.latestError == nil)
        case 8: fixture.runTick()
        case 9: resource.invalidate()
        default: fixture.advance(1)
        }
    }
}
