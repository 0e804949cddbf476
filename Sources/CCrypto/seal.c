#include "ccrypto.h"

#include <limits.h>
#include <openssl/evp.h>

// EVP_EncryptInit(3), "AEAD INTERFACE": a call without a buffer for the result takes data that is
// authenticated alone, and the tag has to be known before the end of decryption.
static int cipher(
    int seals, const unsigned char *key, const unsigned char *nonce, const void *about, size_t about_count,
    const unsigned char *from, size_t count, unsigned char *to, unsigned char *tag) {
    if (about_count > INT_MAX || count > INT_MAX - CCRYPTO_SEAL_TAG) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0, rest = 0;
    int done = context && EVP_CipherInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce, seals)
        && (seals || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CCRYPTO_SEAL_TAG, tag))
        && EVP_CipherUpdate(context, NULL, &length, about, (int)about_count)
        && EVP_CipherUpdate(context, to, &length, from, (int)count)
        && EVP_CipherFinal_ex(context, to + length, &rest) > 0
        && (!seals || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CCRYPTO_SEAL_TAG, tag));
    EVP_CIPHER_CTX_free(context);
    return done;
}

int ccrypto_seal(
    const unsigned char *key, const unsigned char *nonce, const void *about, size_t about_count,
    const unsigned char *plain, size_t count, unsigned char *sealed) {
    return cipher(1, key, nonce, about, about_count, plain, count, sealed, sealed + count);
}

int ccrypto_unseal(
    const unsigned char *key, const unsigned char *nonce, const void *about, size_t about_count,
    const unsigned char *sealed, size_t count, unsigned char *plain) {
    return cipher(0, key, nonce, about, about_count, sealed, count, plain, (unsigned char *)(sealed + count));
}
