// The one door to libcurl: typed forms of its variadic calls, which Swift can't see. Each takes the options
// or infos of one kind (see curl_easy_setopt(3), curl_easy_getinfo(3)); the callers choose the kind.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

// Setting options of an easy handle.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

/// libcurl copies the string, except that of CURLOPT_POSTFIELDS. NULL puts the default back.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

/// The list stays the caller's and must live as long as the handle may use it.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

/// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
static inline CURLcode ccurl_set_write(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_read(CURL *easy, curl_read_callback value) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, value);
}

static inline CURLcode ccurl_set_seek(CURL *easy, curl_seek_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_set_resolver_start(CURL *easy, curl_resolver_start_callback value) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, value);
}

static inline CURLcode ccurl_set_socket(CURL *easy, curl_sockopt_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, value);
}

static inline CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode ccurl_set_mime(CURL *easy, curl_mime *value) {
    return curl_easy_setopt(easy, CURLOPT_MIMEPOST, value);
}

// Reading what an easy handle knows.

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_text(CURL *easy, CURLINFO info, char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

// The multi handle and the members of its messages; a union is awkward from Swift.

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->data.result;
}

#endif
