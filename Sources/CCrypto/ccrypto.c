#include "ccrypto.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

_Static_assert(CCRYPTO_MAX_DIGEST >= EVP_MAX_MD_SIZE, "any digest fits");

static const EVP_MD *function_of(ccrypto_hash hash) {
    switch (hash) {
    case CCRYPTO_MD5: return EVP_md5();
    case CCRYPTO_SHA1: return EVP_sha1();
    case CCRYPTO_SHA256: return EVP_sha256();
    case CCRYPTO_SHA384: return EVP_sha384();
    case CCRYPTO_SHA512: return EVP_sha512();
    case CCRYPTO_SHA512_256: return EVP_sha512_256();
    }
    return NULL;
}

size_t ccrypto_digest(ccrypto_hash hash, const void *bytes, size_t count, unsigned char *digest) {
    unsigned int length = 0;
    const EVP_MD *function = function_of(hash);
    if (!function || !EVP_Digest(bytes, count, digest, &length, function, NULL)) return 0;
    return length;
}

size_t ccrypto_hmac(
    ccrypto_hash hash, const void *key, size_t key_count, const void *bytes, size_t count,
    unsigned char *digest) {
    unsigned int length = 0;
    const EVP_MD *function = function_of(hash);
    // A NULL key would stand for that of the last call.
    if (!function || key_count > INT_MAX) return 0;
    if (!HMAC(function, key ? key : "", (int)key_count, bytes, count, digest, &length)) return 0;
    return length;
}

int ccrypto_random(void *bytes, size_t count) {
    if (count > INT_MAX) return 0;
    return RAND_bytes(bytes, (int)count) == 1;
}

int ccrypto_equal(const void *a, const void *b, size_t count) { return CRYPTO_memcmp(a, b, count) == 0; }
