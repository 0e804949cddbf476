import Testing

@testable import Coordination

@Suite final class InvalidationLogTests {
    private var log = InvalidationLog(host: "me")

    /// The macro can't call mutating functions itself.
    private func made<Value>(_ value: Value) -> Value { value }

    private func change(_ url: String, _ change: Invalidation.Change = .outdated) -> Invalidation {
        Invalidation(change, service: "api", .url(url))
    }

    private func entry(
        _ number: Int64, _ invalidation: Invalidation?, epoch: String = "a", host: String = "other",
        serial: Int64 = 1
    ) -> InvalidationEntry {
        InvalidationEntry(
            id: "\(number)-0", epoch: epoch, number: number, host: host, serial: serial, invalidation)
    }

    private func place(_ number: Int64, epoch: String = "a") -> InvalidationPlace {
        InvalidationPlace(epoch: epoch, number: number, id: "\(number)-0")
    }

    private func follow(from number: Int64) {
        _ = log.started()
        _ = log.located(place(number))
    }

    // MARK: Reading

    @Test func `A host begins at the end of the log, with nothing that it is sure of`() {
        #expect(made(log.started()) == [.locate])
        #expect(made(log.located(place(4))) == [.dropEverything, .read(after: "4-0")])
        #expect(made(log.received([entry(5, change("u"))])) == [.apply(change("u")), .read(after: "5-0")])
    }

    @Test func `A log that begins later is read from its first entry`() {
        _ = log.started()
        #expect(made(log.located(nil)) == [.dropEverything, .read(after: "0-0")])
        #expect(made(log.received([entry(1, change("u"))])) == [.apply(change("u")), .read(after: "1-0")])
    }

    @Test func `A number of another program ends in nothing fresh`() {
        follow(from: .max)
        let strange = entry(.min, change("u"))
        #expect(made(log.received([strange])).first == .apply(change("u")))
        let next = entry(1, change("u"))
        #expect(made(log.received([next])).first == .dropEverything)
    }

    @Test func `A host that was away goes on where it was`() {
        follow(from: 4)
        #expect(made(log.readFailed()) == [.resumeReading(seconds: 0.05)])
        #expect(made(log.readingResumed()) == [.locate])
        #expect(made(log.located(place(6))) == [.read(after: "4-0")])
        #expect(
            made(log.received([entry(5, change("u")), entry(6, change("v"))]))
                == [.apply(change("u")), .apply(change("v")), .read(after: "6-0")])
    }

    @Test func `An entry that was trimmed means that everything is stale`() {
        follow(from: 4)
        #expect(
            made(log.received([entry(7, change("u"))]))
                == [.dropEverything, .apply(change("u")), .read(after: "7-0")])
        #expect(made(log.received([entry(8, change("v"))])) == [.apply(change("v")), .read(after: "8-0")])
    }

    @Test(arguments: [
        // The server began anew, with fewer or more entries, or without a log.
        InvalidationPlace(epoch: "b", number: 1, id: "1-0"),
        InvalidationPlace(epoch: "b", number: 9, id: "9-0"), .start,
        // A replica that lacks the last entry took over.
        InvalidationPlace(epoch: "a", number: 3, id: "3-0"),
        // The same number is another entry now.
        InvalidationPlace(epoch: "a", number: 4, id: "4-1"),
    ])
    func `A log that is another one means that everything is stale`(_ end: InvalidationPlace) {
        follow(from: 4)
        #expect(made(log.nothing()) == [.locate])
        #expect(made(log.located(end)) == [.dropEverything, .read(after: end.id)])
    }

    @Test func `A log that began anew under a reader is noticed at its first entry`() {
        follow(from: 4)
        #expect(
            made(log.received([entry(1, change("u"), epoch: "b")]))
                == [.dropEverything, .apply(change("u")), .read(after: "1-0")])
    }

    @Test func `An unreadable entry means that everything is stale`() {
        follow(from: 4)
        #expect(made(log.received([entry(5, nil)])) == [.dropEverything, .read(after: "5-0")])
        #expect(made(log.received([entry(6, .everything)])) == [.dropEverything, .read(after: "6-0")])
    }

    @Test func `Pauses grow to half a second`() {
        _ = log.started()
        var pauses: [Double] = []
        for _ in 0..<7 {
            guard case .resumeReading(let seconds) = log.readFailed().first else { break }
            pauses.append(seconds)
            _ = log.readingResumed()
        }
        #expect(pauses == [0.05, 0.1, 0.2, 0.4, 0.5, 0.5, 0.5])
    }

    // MARK: Writing

    @Test func `Entries are sent one after the other`() {
        #expect(made(log.publish(change("u"))) == [.add(serial: 1, change("u"))])
        #expect(made(log.publish(change("v"))) == [])
        #expect(log.unsentCount == 2)
        #expect(made(log.added(1)) == [.add(serial: 2, change("v"))])
        #expect(made(log.added(2)) == [])
        #expect(log.unsentCount == 0)
    }

    @Test func `An entry without a reply is sent again before the next`() {
        _ = log.publish(change("u"))
        _ = log.publish(change("v"))
        #expect(made(log.addFailed(1)) == [.resumeWriting(seconds: 0.05)])
        #expect(made(log.publish(change("w"))) == [])
        #expect(made(log.writingResumed()) == [.add(serial: 1, change("u"))])
        #expect(made(log.added(1)) == [.add(serial: 2, change("v"))])
    }

    @Test func `The same again is not sent twice`() {
        _ = log.publish(change("u"))
        _ = log.publish(change("v"))
        _ = log.publish(change("v"))
        #expect(log.unsentCount == 2)
        // The first may be in the log already, so the next one isn't the same.
        _ = log.added(1)
        _ = log.publish(change("v"))
        #expect(log.unsentCount == 2)
    }

    @Test func `Too many become one that says everything`() {
        for number in 0..<1002 { _ = log.publish(change("\(number)")) }
        #expect(log.unsentCount == 3)
        #expect(made(log.added(1)) == [.add(serial: 1001, .everything)])
    }

    @Test func `A change that is not yet in the log is awaited`() {
        _ = log.publish(change("u"))
        #expect(log.isAwaited(for: change("u")) && !log.isAwaited(for: change("v")))
        _ = log.added(1)
        #expect(!log.isAwaited(for: change("u")))
        _ = log.publish(Invalidation(.wiped, service: "api", .glob("/x*")))
        #expect(log.isAwaited(for: change("v")))
    }

    // MARK: Order

    @Test func `Its own entries are not applied again`() {
        follow(from: 4)
        _ = log.publish(change("u"))
        _ = log.added(1)
        #expect(made(log.received([entry(5, change("u"), host: "me")])) == [.read(after: "5-0")])
    }

    @Test func `Data that another host set before its own change is not taken`() {
        follow(from: 4)
        _ = log.publish(change("u", .overridden([2])))
        let theirs = change("u", .overridden([1]))
        // Theirs is first in the log, so all hosts end with this host's data.
        #expect(made(log.received([entry(5, theirs)])) == [.read(after: "5-0")])
        _ = log.added(1)
        #expect(
            made(log.received([entry(6, change("u", .overridden([2])), host: "me"), entry(7, theirs)]))
                == [.apply(theirs), .read(after: "7-0")])
    }

    @Test func `An invalidation by another host counts even behind its own change`() {
        follow(from: 4)
        _ = log.publish(change("u"))
        // Since its own change it may have loaded data that the other host has changed.
        #expect(made(log.received([entry(5, change("u"))])) == [.apply(change("u")), .read(after: "5-0")])
    }

    // MARK: Fields

    @Test(arguments: [
        Invalidation(.stale, service: "api", .url("https://a.test/x?y=z")),
        Invalidation(.outdated, service: "api", partition: "ä", .url("u")),
        Invalidation(.wiped, service: "api", partition: "", .glob("/users/*")),
        Invalidation(.wiped, service: "api"),
        Invalidation(.overridden([0, 255, 13, 10]), service: "api", .url("u")),
        Invalidation(.blocks, service: "api"), .everything,
    ])
    func `An entry has the fields of its invalidation`(_ invalidation: Invalidation) {
        #expect(Invalidation(fields: invalidation.fields) == invalidation)
    }

    @Test(arguments: [
        [], [("k", "stale")], [("k", "strange"), ("s", "api")], [("s", "api")],
        [("k", "stale"), ("s", "api"), ("u", "x"), ("g", "y")],
        [("k", "overridden"), ("s", "api"), ("u", "x")],
        [("k", "stale"), ("s", "api"), ("u", "x"), ("c", "1")],
        [("k", "overridden"), ("s", "api"), ("c", "1")],
    ])
    func `Other fields are unreadable`(_ fields: [(String, String)]) {
        #expect(Invalidation(fields: fields.map { ($0.0, Array($0.1.utf8)) }) == nil)
    }

    @Test func `A text that is no UTF-8 is unreadable`() {
        #expect(Invalidation(fields: [("k", Array("stale".utf8)), ("s", [0xFF])]) == nil)
    }
}
