import Testing

@testable import Gateway

/// The limits of clients, and the names by which clients are counted.
struct ClientLimitsTests {
    @Test func `55.7 Places are given back by those who hold them`() {
        let slots = ClientSlots(2)
        var held = [slots.take(for: "a"), slots.take(for: "a")]
        #expect(held.allSatisfy { $0 != nil })
        #expect(slots.take(for: "a") == nil && slots.take(for: "b") != nil)
        held.removeLast()
        #expect(slots.take(for: "a") != nil)
        held = []
        #expect(slots.take(for: "a") != nil)
    }

    @Test(arguments: [
        ("10.1.2.3", "10.1.2.3"), ("::ffff:10.1.2.3", "10.1.2.3"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8::6", "2001:db8:0:0::/64"), ("::1", "0:0:0:0::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"), ("1::4:5:6:7:8", "1:0:0:4::/64"),
    ])
    func `55.6 A client of IPv6 is known by its network`(address: String, name: String) {
        #expect(ClientNetwork.name(ofAddress: address) == name)
    }

    @Test func `55.6 A crowd of other clients gives nobody back what it has used`() {
        let rates = ClientRates(GatewayRate(requests: 2, per: 3600, burst: 2))
        #expect(rates.wait("a", now: 0) == nil && rates.wait("a", now: 0) == nil)
        #expect((0..<10_050).allSatisfy { rates.wait("\($0)", now: 1) == nil })
        #expect(rates.wait("a", now: 2) != nil)
    }

    @Test func `55.6 Of many clients the oldest is forgotten, and nobody else`() {
        let rates = ClientRates(GatewayRate(requests: 1, per: 3600, burst: 1))
        #expect((0..<10_000).allSatisfy { rates.wait("\($0)", now: Double($0) / 10_000) == nil })
        #expect(rates.wait("new", now: 2) == nil)
        #expect((1..<10_000).allSatisfy { rates.wait("\($0)", now: 2) != nil })
        #expect(rates.wait("0", now: 2) == nil)
    }

    @Test func `55.6 A client that asks again is no longer the oldest`() {
        let rates = ClientRates(GatewayRate(requests: 2, per: 3600, burst: 2))
        #expect((0..<10_000).allSatisfy { rates.wait("\($0)", now: Double($0) / 10_000) == nil })
        #expect(rates.wait("0", now: 1) == nil && rates.wait("new", now: 1) == nil)
        #expect(rates.wait("0", now: 1) != nil)
        #expect(rates.wait("1", now: 1) == nil && rates.wait("1", now: 1) == nil)
        #expect(rates.wait("3", now: 1) == nil && rates.wait("3", now: 1) != nil)
    }

    @Test func `55.6 A rate lets so many at once, and then as many as it says`() {
        let rates = ClientRates(GatewayRate(requests: 2, per: 1, burst: 3))
        #expect((0..<3).allSatisfy { _ in rates.wait("a", now: 10) == nil })
        #expect(rates.wait("a", now: 10) == 0.5)
        #expect(rates.wait("b", now: 10) == nil)
        #expect(rates.wait("a", now: 10.5) == nil)
        #expect(rates.wait("a", now: 10.5) == 0.5)
        #expect((0..<3).allSatisfy { _ in rates.wait("a", now: 100) == nil })
        #expect(rates.wait("a", now: 100) != nil)
    }
}
