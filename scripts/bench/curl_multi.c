/*
 * The minimum for a C program on curl_multi: fetches one URL COUNT times, CONCURRENCY at a time, discards the
 * bodies, and prints one JSON line.
 *
 *   curl_multi URL COUNT CONCURRENCY
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static size_t discard(char *data, size_t size, size_t count, void *context) {
    (void)data;
    *(long long *)context += (long long)(size * count);
    return size * count;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "curl_multi: %s\n", what);
    exit(1);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: curl_multi URL COUNT CONCURRENCY\n");
        return 2;
    }
    const long count = atol(argv[2]), concurrency = atol(argv[3]);
    long started = 0, finished = 0;
    long long bytes = 0;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    if (!multi || count < 1 || concurrency < 1) fail("nothing to do");

    const double begin = now();
    for (; started < concurrency && started < count; started++) {
        CURL *easy = curl_easy_init();
        if (!easy) fail("out of memory");
        curl_easy_setopt(easy, CURLOPT_URL, argv[1]);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &bytes);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_multi_add_handle(multi, easy);
    }

    while (finished < count) {
        int running = 0, left = 0;
        CURLMsg *message;
        if (curl_multi_perform(multi, &running) != CURLM_OK) fail("curl_multi_perform");
        while ((message = curl_multi_info_read(multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *easy = message->easy_handle;
            const CURLcode result = message->data.result;
            long status = 0;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            if (result != CURLE_OK) fail(curl_easy_strerror(result));
            if (status != 200) fail("a status other than 200");
            finished++;
            /* The same handle is used again, as a program that knows curl would do it. */
            curl_multi_remove_handle(multi, easy);
            if (started < count) {
                started++;
                curl_multi_add_handle(multi, easy);
            } else {
                curl_easy_cleanup(easy);
            }
        }
        if (finished < count && curl_multi_poll(multi, NULL, 0, 1000, NULL) != CURLM_OK) fail("curl_multi_poll");
    }
    const double seconds = now() - begin;

    curl_multi_cleanup(multi);
    curl_global_cleanup();
    printf("{\"transfers_per_second\":%.1f,\"transfers\":%ld,\"bytes\":%lld}\n", (double)count / seconds, count, bytes);
    return 0;
}
