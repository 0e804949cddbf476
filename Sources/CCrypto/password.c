#include "ccrypto.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <crypt.h>
#endif

size_t ccrypto_crypt(const char *password, const char *setting, char *hash, size_t room) {
#if defined(__linux__)
    // 32 KiB, too much for some stacks.
    struct crypt_data *data = calloc(1, sizeof *data);
    const char *made = data ? crypt_r(password, setting, data) : NULL;
    // A failure may give a text that begins with a star, which no hash does.
    size_t length = made && made[0] != '*' ? strlen(made) : 0;
    if (length > room) length = 0;
    if (length) memcpy(hash, made, length);
    if (data) OPENSSL_cleanse(data, sizeof *data);
    free(data);
    return length;
#else
    (void)password, (void)setting, (void)hash, (void)room;
    return 0;
#endif
}

int ccrypto_scrypt(
    const char *password, size_t count, const unsigned char *salt, size_t salt_count, uint64_t n, uint64_t r,
    uint64_t p, uint64_t memory, unsigned char *hash, size_t hash_count) {
    int done = EVP_PBE_scrypt(password, count, salt, salt_count, n, r, p, memory, hash, hash_count) == 1;
    // The queue of errors belongs to the thread, and libcurl reads it.
    ERR_clear_error();
    return done;
}

int ccrypto_pbkdf2(
    ccrypto_hash function, const char *password, size_t count, const unsigned char *salt, size_t salt_count,
    int rounds, unsigned char *hash, size_t hash_count) {
    const EVP_MD *digest = function == CCRYPTO_SHA256 ? EVP_sha256()
        : function == CCRYPTO_SHA512 ? EVP_sha512() : function == CCRYPTO_SHA1 ? EVP_sha1() : NULL;
    if (!digest || count > INT_MAX || salt_count > INT_MAX || hash_count > INT_MAX) return 0;
    return PKCS5_PBKDF2_HMAC(
               password, (int)count, salt, (int)salt_count, rounds, digest, (int)hash_count, hash)
        == 1;
}
