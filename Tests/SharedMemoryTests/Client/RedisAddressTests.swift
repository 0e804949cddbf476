import Testing

@testable import SharedMemory

@Suite struct RedisAddressTests {
    @Test func `All forms are read`() throws {
        let whole = try RedisAddress("redis://app:p%40ss@cache.example.com:6380/3")
        #expect(whole.place == .network(host: "cache.example.com", port: 6380))
        #expect(whole.user == "app")
        #expect(whole.password == "p@ss")
        #expect(whole.database == 3)
        #expect(!whole.isSecure)
        let secure = try RedisAddress("REDISS://:secret@[::1]")
        #expect(secure.place == .network(host: "::1", port: 6379))
        #expect(secure.user == nil)
        #expect(secure.password == "secret")
        #expect(secure.isSecure)
        #expect(
            try RedisAddress("unix:/run/redis/redis.sock").place == .socket(path: "/run/redis/redis.sock"))
        let sentinel = try RedisAddress("rediss+sentinel://:secret@h/my-primary/2")
        #expect(sentinel.place == .network(host: "h", port: 26379))
        #expect(sentinel.primaryName == "my-primary")
        #expect(sentinel.database == 2)
        #expect(sentinel.isSecure)
        #expect(try RedisAddress("redis+sentinel://[::1]:1/a").database == 0)
        let login = try RedisAddress("unix://:secret@/run/r.sock?db=2")
        #expect(login.place == .socket(path: "/run/r.sock"))
        #expect(login.password == "secret")
        #expect(login.database == 2)
    }

    @Test func `A description has no user and no password`() throws {
        #expect(try RedisAddress("redis://app:secret@h").description == "redis://h:6379/0")
        #expect(try RedisAddress("rediss://app:secret@[::1]:1/2").description == "rediss://[::1]:1/2")
        #expect(
            try RedisAddress("redis+sentinel://app:secret@h/main/2").description
                == "redis+sentinel://h:26379/main/2")
        #expect(try RedisAddress("unix://app:secret@/s?db=1").description == "unix:/s?db=1")
    }

    @Test(arguments: [
        ("http://host", "scheme"), ("", "scheme"), ("redis://", "no host"), ("redis://h:0", "port"),
        ("redis://h:x", "port"), ("redis://h:99999", "port"), ("redis://h/x", "database"),
        ("redis://h/-1", "database"), ("redis://secret@h", "user and a password"),
        ("redis://u:@h", "empty"), ("redis://u:secret@h?x=1", "'?'"), ("redis://u:%ff@h", "UTF-8"),
        ("unix:redis.sock", "whole path"), ("unix:/s?secret=1", "?db="), ("redis://u:secret @h", "space"),
        ("redis://u:secret@a,redis://u:secret@b", "%2C"), ("sentinel://u:secret@h", "redis+sentinel://"),
        ("redis+sentinel://u:secret@h", "name of the primary"), ("redis+sentinel://h/a b", "space"),
        ("redis+sentinel://h/a:b", "name of the primary"), ("redis+sentinel://h/a/b", "database"),
        ("redis+cluster://u:secret@h", "a cluster is not supported"), ("redis://[::1", "bracket"),
        ("redis://[::1]x", "no port"),
    ])
    func `A fault says which part is wrong, without the text`(text: String, part: String) {
        #expect {
            _ = try RedisAddress(text)
        } throws: { error in
            "\(error)".contains(part) && !"\(error)".contains("secret")
        }
    }

    @Test func `A failure doesn't repeat arguments of a command`() {
        let failure = RedisFailure(
            reply: "ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `default`, `secret`, "
        )
        #expect(failure.message == "the server answered: ERR unknown command `HELLO`")
        #expect(RedisFailure(reply: "OOM command not allowed").kind == .full)
        #expect(RedisFailure(reply: "WRONGPASS x").kind == .refused)
        #expect(RedisFailure(reply: "MOVED 1 h:1").kind == .cluster)
        #expect(RedisFailure(reply: "MOVED 1 h:1").message.hasSuffix("name one server, or a sentinel"))
        #expect(RedisFailure(reply: "LOADING x").kind == .loading)
        #expect(RedisFailure(reply: "READONLY x").kind == .readOnly)
        #expect(RedisFailure(reply: "ERR x\ny").message == "the server answered: ERR x y")
    }
}
