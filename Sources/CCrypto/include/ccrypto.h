// A thin C face on OpenSSL's libcrypto, which libcurl is built on anyway. Any thread may call it.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>
#include <stdint.h>

typedef enum ccrypto_hash {
    CCRYPTO_MD5,
    CCRYPTO_SHA1,
    CCRYPTO_SHA256,
    CCRYPTO_SHA384,
    CCRYPTO_SHA512,
    CCRYPTO_SHA512_256,
} ccrypto_hash;

/// Room for the longest digest.
enum { CCRYPTO_MAX_DIGEST = 64 };

/// Writes the digest; its length, or 0 where the library doesn't offer the function, as for MD5 in FIPS mode.
size_t ccrypto_digest(ccrypto_hash hash, const void *bytes, size_t count, unsigned char *digest);

/// HMAC (RFC 2104): the length of the digest. 0 on failure.
size_t ccrypto_hmac(
    ccrypto_hash hash, const void *key, size_t key_count, const void *bytes, size_t count,
    unsigned char *digest);

/// The families of signatures of RFC 7518 3.1 and RFC 8037 3.1.
typedef enum ccrypto_family {
    CCRYPTO_RSA_PKCS1,
    CCRYPTO_RSA_PSS,
    /// On the curve of the hash's size: P-256, P-384, or P-521 with SHA-512.
    CCRYPTO_ECDSA,
    /// With Ed25519; the hash is not used.
    CCRYPTO_EDDSA,
} ccrypto_family;

/// Room for a signature of the largest key that is taken.
enum { CCRYPTO_MAX_SIGNATURE = 1024 };

/// A key that is of another kind, or too short (RFC 7518 3.3), or over 8192 bits, which takes too long.
enum { CCRYPTO_WRONG_KEY = -1 };

/// Signs with a private key in PEM without a password, and sets the length. 1 when it has, 0 on failure.
/// ECDSA gives the two numbers one after the other (RFC 7518 3.4), not in DER.
int ccrypto_sign(
    ccrypto_family family, ccrypto_hash hash, const void *pem, size_t pem_count, const void *bytes,
    size_t count, unsigned char *signature, size_t *length);

/// Verifies with a public key or a certificate in PEM. 1 when the signature is valid, 0 when it is not.
int ccrypto_verify(
    ccrypto_family family, ccrypto_hash hash, const void *pem, size_t pem_count, const void *bytes,
    size_t count, const unsigned char *signature, size_t length);

/// Room for a public key in PEM.
enum { CCRYPTO_MAX_PEM = 4096 };

/// Writes the public key of these numbers in PEM, for ccrypto_verify; its length, or 0 if they make none. Big
/// numbers come first byte first. RSA: modulus and exponent.
size_t ccrypto_rsa_pem(
    const unsigned char *n, size_t n_count, const unsigned char *e, size_t e_count, char *pem, size_t room);

/// A point on the curve of the hash's size, with two coordinates of `count` bytes each.
size_t ccrypto_ec_pem(
    ccrypto_hash hash, const unsigned char *x, const unsigned char *y, size_t count, char *pem, size_t room);

/// A key of Ed25519 (RFC 8032 5.1.5).
size_t ccrypto_ed25519_pem(const unsigned char *x, size_t count, char *pem, size_t room);

/// Room for a hash of crypt.
enum { CCRYPTO_MAX_CRYPT = 384 };

/// Hashes a password with crypt(5), by the method and salt at the beginning of `setting`; the length, or 0
/// where the system doesn't have the method.
size_t ccrypto_crypt(const char *password, const char *setting, char *hash, size_t room);

/// scrypt (RFC 7914) with at most so many bytes of memory. 0 on failure.
int ccrypto_scrypt(
    const char *password, size_t count, const unsigned char *salt, size_t salt_count, uint64_t n, uint64_t r,
    uint64_t p, uint64_t memory, unsigned char *hash, size_t hash_count);

/// PBKDF2 with HMAC (RFC 8018 5.2). 0 on failure.
int ccrypto_pbkdf2(
    ccrypto_hash function, const char *password, size_t count, const unsigned char *salt, size_t salt_count,
    int rounds, unsigned char *hash, size_t hash_count);

enum { CCRYPTO_SEAL_NONCE = 12, CCRYPTO_SEAL_TAG = 16 };

/// Encrypts with AES-256-GCM (NIST SP 800-38D) and a key of 32 bytes, and writes `count` bytes and then the
/// tag. A nonce may be used once with a key. `about` is authenticated, too. 0 on failure.
int ccrypto_seal(
    const unsigned char *key, const unsigned char *nonce, const void *about, size_t about_count,
    const unsigned char *plain, size_t count, unsigned char *sealed);

/// Decrypts `count` bytes and the tag behind them. 0 if they were not sealed with this key, nonce and
/// `about`.
int ccrypto_unseal(
    const unsigned char *key, const unsigned char *nonce, const void *about, size_t about_count,
    const unsigned char *sealed, size_t count, unsigned char *plain);

/// Fills with bytes that nobody can guess. 0 on failure.
int ccrypto_random(void *bytes, size_t count);

/// Compares in a time that depends on the count alone.
int ccrypto_equal(const void *a, const void *b, size_t count);

#endif
