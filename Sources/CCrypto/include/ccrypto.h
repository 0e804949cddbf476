// A thin C face on OpenSSL's libcrypto, which libcurl is built on anyway. Any thread may call it.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>

typedef enum ccrypto_hash {
    CCRYPTO_MD5,
    CCRYPTO_SHA256,
    CCRYPTO_SHA512_256,
} ccrypto_hash;

/// Room for the longest digest.
enum { CCRYPTO_MAX_DIGEST = 64 };

/// Writes the digest; its length, or 0 where the library doesn't offer the function, as for MD5 in FIPS mode.
size_t ccrypto_digest(ccrypto_hash hash, const void *bytes, size_t count, unsigned char *digest);

/// HMAC with SHA-256 (RFC 2104): 32 bytes. 0 on failure.
size_t ccrypto_hmac_sha256(
    const void *key, size_t key_count, const void *bytes, size_t count, unsigned char *digest);

/// Fills with bytes that nobody can guess. 0 on failure.
int ccrypto_random(void *bytes, size_t count);

/// Compares in a time that depends on the count alone.
int ccrypto_equal(const void *a, const void *b, size_t count);

#endif
