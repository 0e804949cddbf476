import TestSupport
import Testing

@testable import RestEngine

/// Hashes of passwords, made by other programs too.
@Suite struct PasswordHashTests {
    /// Of `secret`, by Python's hashlib and `openssl passwd`.
    private static let known = [
        "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$1RL+Xg0R5UtrsEx1/34MJGhCuDjQdo5E2HyYnASS5FE",
        "$pbkdf2-sha256$i=1000$c2FsdHNhbHRzYWx0c2FsdA$dClvKSmj66n6MdMWNv3Go4mvH1Ym2WIGiJvquqa+mfE",
        "$pbkdf2-sha512$1000$c2FsdHNhbHRzYWx0c2FsdA$2IVLzDcUS76iY9.wBooZzkS5Z0mI6ikZPfMieFfR1eV/GJiiRzyvvz4ne7tBn8OJ1hxZyCz95QPNeLP3ykzMiQ",
        "$5$saltstring$C3o4O1TC6aRHF4FI.QSZMXtHbaj2gSXr4sUc/3NcUi.",
        "$6$saltstring$AIsRs/Ee56G/tC8MEHhvReZTfx8u3rXXMl6eYrjCG9ibix19DxoMBLogdTET5Ukw9Sf7eZTITsuk0Ry5qulYz.",
    ]

    @Test(arguments: known) func `the right password is right, and no other`(text: String) throws {
        let hash = try PasswordHash(text)
        // Only systems with crypt(5) know those of crypt.
        guard hash.isKnownHere else { return }
        #expect(hash.isRight(Array("secret".utf8)))
        for wrong in [
            "", "Secret", "secret ", "secre", "secret\0", "secret\0x", String(repeating: "s", count: 600),
        ] {
            #expect(!hash.isRight(Array(wrong.utf8)))
        }
        // Another hash of the same length.
        let last = text.last == "a" ? "b" : "a"
        if let other = try? PasswordHash(String(text.dropLast(5)) + "aaaa" + String(last)) {
            #expect(!other.isRight(Array("secret".utf8)))
        }
    }

    @Test func `a made hash is that of its password, each with another salt`() throws {
        let text = try #require(PasswordHash.make(Array("pässword".utf8)))
        #expect(text.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
        let hash = try PasswordHash(text)
        #expect(hash.isRight(Array("pässword".utf8)) && !hash.isRight(Array("password".utf8)))
        #expect(PasswordHash.make(Array("pässword".utf8)) != text)
        #expect(PasswordHash.make([]) == nil && PasswordHash.make([1, 0]) == nil)
        #expect(PasswordHash.make(Array(repeating: 65, count: 513)) == nil)
    }

    @Test(arguments: [
        ("", "is of no known form"), ("secret", "is of no known form"), ("$", "is of no known form"),
        ("x$6$a$b", "is of no known form"),
        ("$1$salt$hash", "of the kind '1'"),
        ("$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA", "of the kind 'argon2id'"),
        ("$6$salt$short", "is cut"), ("$6$salt", "is cut"),
        ("$6$rounds=999999999$salt$x", "1000 to 1000000 rounds"),
        ("$scrypt$ln=20,r=8,p=1$c2FsdA$aGFzaGhhc2hoYXNoaGFzaA", "64 MiB"),
        ("$scrypt$ln=99,r=8,p=1$c2FsdA$aGFzaGhhc2hoYXNoaGFzaA", "64 MiB"),
        ("$scrypt$ln=15,r=8$c2FsdA$aGFzaGhhc2hoYXNoaGFzaA", "looks like"), ("$scrypt$$$", "looks like"),
        ("$scrypt$ln=15,r=8,p=1$c2FsdA$aGFzaA", "looks like"),
        ("$pbkdf2-sha256$i=1$c2FsdA$aGFzaGhhc2hoYXNoaGFzaA", "1000 to 10000000 iterations"),
        ("$pbkdf2-sha256$i=x$c2FsdA$aGFzaGhhc2hoYXNoaGFzaA", "looks like"),
        ("$pbkdf2-sha256$i=1000$!$aGFzaGhhc2hoYXNoaGFzaA", "looks like"),
        ("$" + String(repeating: "a", count: 600), "too long"),
    ]) func `another text is refused with the reason`(text: String, reason: String) {
        do throws(PasswordHash.Fault) {
            _ = try PasswordHash(text)
            Issue.record("taken")
        } catch { #expect(error.message.contains(reason), "\(error.message)") }
    }
}
