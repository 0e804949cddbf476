import RestEngine
import TestSupport
import Testing

/// Adds, removes and releases observers and owners at random. A model says which observers are notified.
@Suite(.leakChecked) @EngineActor
struct ObserverFuzzTests {
    private let fixture = EngineFixture()

    /// The state of one observer after the rules of section 13.
    private struct Observed {
        var isSelfOwned = false
        var owners: Set<Int> = []
        var isKeptByTest = true

        var isObserving: Bool { !owners.isEmpty || isSelfOwned && isKeptByTest }
    }

    @EngineActor
    private final class Run {
        let journal = Journal()
        let resource: Resource
        var random: SeededRandom
        var owners: [Owner]
        var observers: [NotingObserver?] = []
        private var weakly: [() -> NotingObserver?] = []
        private var model: [Observed] = []
        /// The observers in the order of adding.
        private var order: [Int] = []

        init(_ resource: Resource, seed: UInt64, observers count: Int) {
            self.resource = resource
            random = SeededRandom(seed: seed)
            owners = (0..<5).map { _ in Owner() }
            for number in 0..<count {
                model.append(Observed())
                observers.append(nil)
                weakly.append { nil }
                renew(number)
            }
        }

        private func renew(_ number: Int) {
            let observer = NotingObserver(journal, "\(number)")
            observers[number] = observer
            weakly[number] = { [weak observer] in observer }
            model[number] = Observed()
        }

        private func settleModel() {
            for number in order where !model[number].isObserving {
                order.removeAll { $0 == number }
                let isKept = model[number].isKeptByTest
                model[number] = Observed()
                model[number].isKeptByTest = isKept
            }
        }

        func step() {
            let number = random.int(below: model.count)
            let owner = random.int(below: owners.count)
            switch random.int(below: 12) {
            case 0...4: add(number, owner: random.int(below: 4) == 0 ? nil : owner)
            case 5:
                resource.removeObservers(ownedBy: owners[owner])
                loseOwner(owner)
            case 6:
                owners[owner] = Owner()
                loseOwner(owner)
            case 7:
                if let observer = observers[number] {
                    resource.removeObservers(ownedBy: observer)
                    model[number].isSelfOwned = false
                }
            case 8:
                observers[number] = nil
                model[number].isKeptByTest = false
            default: notify()
            }
            settleModel()
        }

        private func loseOwner(_ owner: Int) {
            for number in model.indices { model[number].owners.remove(owner) }
        }

        private func add(_ number: Int, owner: Int?) {
            if !model[number].isKeptByTest {
                // Removes entries that only wait to be found.
                _ = resource.isObserved
                if let known = weakly[number]() {
                    observers[number] = known
                    model[number].isKeptByTest = true
                } else {
                    renew(number)
                }
            }
            guard let observer = observers[number] else { return }
            _ = journal.take()
            if let owner {
                resource.addObserver(observer, owner: owners[owner])
                model[number].owners.insert(owner)
            } else {
                resource.addObserver(observer)
                model[number].isSelfOwned = true
            }
            let added = journal.take().filter { $0.hasSuffix("observer_added") }
            #expect(added == (order.contains(number) ? [] : ["\(number) observer_added"]))
            if !order.contains(number) { order.append(number) }
        }

        private func notify() {
            resource.overrideLocalContent(.text("x"))
            #expect(
                journal.take().filter { !$0.hasSuffix("stopped") }
                    == order.map { "\($0) new_data(local_override)" })
        }

        func end() {
            owners = []
            for number in model.indices { model[number].owners = [] }
            settleModel()
            notify()
            observers = []
            #expect(!resource.isObserved)
        }
    }

    @Test(arguments: 0..<30)
    func `13 seeded: owned observers are notified in the order of adding, and no others`(seed: UInt64) {
        let run = Run(fixture.resource("a"), seed: seed, observers: seed % 2 == 0 ? 6 : 40)
        for _ in 0..<400 {
            run.step()
            if run.random.int(below: 10) == 0 { fixture.runTick() }
        }
        run.end()
        fixture.settle()
    }
}
