#define _POSIX_C_SOURCE 200809L

#include "sockets.h"

#include <stdlib.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/eventfd.h>
#include <time.h>
#endif

static void close_epoll(ccurl_watch *watch) {
    if (watch->epoll >= 0) {
        close(watch->epoll);
    }
    if (watch->event >= 0) {
        close(watch->event);
    }
    watch->epoll = -1;
    watch->event = -1;
}

#ifdef __linux__

static int64_t microseconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/// False when the system refuses.
static bool set_events(ccurl_watch *watch, curl_socket_t socket, struct socket_state *state, int what) {
    struct epoll_event event = {.data.fd = socket};
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    int code = state->watched ? epoll_ctl(watch->epoll, EPOLL_CTL_MOD, socket, &event) : -1;
    // If its closing was not reported, the descriptor may be another one with the same number.
    if (code != 0) {
        code = epoll_ctl(watch->epoll, EPOLL_CTL_ADD, socket, &event);
    }
    if (code == 0) {
        state->watched = (uint8_t)what;
    }
    return code == 0;
}

static void forget_events(ccurl_watch *watch, curl_socket_t socket, struct socket_state *state) {
    struct epoll_event none = {0};
    epoll_ctl(watch->epoll, EPOLL_CTL_DEL, socket, &none);
    state->watched = 0;
}

// CURLMOPT_SOCKETFUNCTION(3): -1 ends all transfers of the multi handle with an error.
static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned) {
    (void)easy;
    (void)assigned;
    ccurl_watch *watch = context;
    struct socket_state *state = ccurl_find_state(watch, socket);
    if (!state) {
        return -1;
    }
    state->is_wanted = what == CURL_POLL_IN || what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
    if (!state->is_wanted) {
        if (!state->reports_close && state->watched) {
            forget_events(watch, socket, state);
        }
        return 0;
    }
    return (state->reports_close && state->watched == what) || set_events(watch, socket, state, what) ? 0 : -1;
}

static int on_timer(CURLM *multi, long milliseconds, void *context) {
    ccurl_watch *watch = context;
    // Of one whose place another has taken: it is being cleaned up.
    if (multi == watch->multi) {
        watch->deadline =
            milliseconds > 0 ? microseconds_now() + (int64_t)milliseconds * 1000 : milliseconds < 0 ? -1 : 0;
    }
    return 0;
}

static void open_epoll(ccurl_watch *watch) {
    watch->epoll = epoll_create1(EPOLL_CLOEXEC);
    watch->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    // Edge-triggered: each write is reported once and need not be read.
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = watch->event};
    if (watch->epoll >= 0 && watch->event >= 0
        && epoll_ctl(watch->epoll, EPOLL_CTL_ADD, watch->event, &event) == 0) {
        return;
    }
    close_epoll(watch);
}

/// Milliseconds until a timer of libcurl's is due, but not more than those that are given.
static int milliseconds_left(const ccurl_watch *watch, int milliseconds) {
    if (watch->deadline < 0 || milliseconds == 0) {
        return milliseconds;
    }
    int64_t left = watch->deadline == 0 ? 0 : watch->deadline - microseconds_now();
    left = left <= 0 ? 0 : (left + 999) / 1000;
    return milliseconds < 0 || left < milliseconds ? (int)(left > INT32_MAX ? INT32_MAX : left) : milliseconds;
}

/// False for an event that libcurl need not get.
static bool has_transfer(ccurl_watch *watch, curl_socket_t socket) {
    struct socket_state *state = &watch->sockets[socket];
    // The event is of a resting transfer, or of a resting connection that has ended or got unexpected input.
    if (!state->is_wanted && state->watched) {
        forget_events(watch, socket, state);
    }
    return state->is_wanted;
}

/// True when the watch was woken.
static bool take_events(ccurl_watch *watch, int milliseconds) {
    // Fewer than none: it was interrupted by a signal.
    int count = epoll_wait(watch->epoll, watch->events, most_events, milliseconds);
    bool is_woken = false;
    watch->event_count = 0;
    for (int i = 0; i < count; i++) {
        if (watch->events[i].data.fd == watch->event) {
            is_woken = true;
        } else if (has_transfer(watch, watch->events[i].data.fd)) {
            watch->events[watch->event_count++] = watch->events[i];
        }
    }
    return is_woken;
}

static CURLMcode run_timers(ccurl_watch *watch) {
    if (watch->deadline < 0 || (watch->deadline > 0 && watch->deadline > microseconds_now())) {
        return CURLM_OK;
    }
    // libcurl says when the next is due, before the call returns.
    watch->deadline = -1;
    int running = 0;
    return curl_multi_socket_action(watch->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

    // The next read reports an error better than CURL_CSELECT_ERR, which ends the transfer.
static CURLMcode run_event(ccurl_watch *watch, const struct epoll_event *event) {
    int mask = (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR) ? CURL_CSELECT_IN : 0)
        | (event->events & EPOLLOUT ? CURL_CSELECT_OUT : 0);
    int running = 0;
    return curl_multi_socket_action(watch->multi, event->data.fd, mask, &running);
}

#endif

CURLMcode ccurl_watch_wait(ccurl_watch *watch, int milliseconds) {
#ifdef __linux__
    if (watch->epoll >= 0) {
        int longest = watch->is_woken ? 0 : milliseconds_left(watch, milliseconds);
        watch->is_woken = false;
        take_events(watch, longest);
        return CURLM_OK;
    }
#endif
    return curl_multi_poll(watch->multi, NULL, 0, milliseconds, NULL);
}

CURLMcode ccurl_watch_perform(ccurl_watch *watch) {
#ifdef __linux__
    if (watch->epoll >= 0) {
        // First what is new: its request is then on its way while the rest is read.
        CURLMcode code = run_timers(watch);
        if (watch->event_count < 0 && take_events(watch, 0)) {
            watch->is_woken = true;
        }
        for (int i = 0; i < watch->event_count && code == CURLM_OK; i++) {
            code = run_event(watch, &watch->events[i]);
        }
        watch->event_count = -1;
        return code;
    }
#endif
    int running = 0;
    return curl_multi_perform(watch->multi, &running);
}

void ccurl_watch_wake(ccurl_watch *watch) {
    if (watch->epoll < 0) {
        curl_multi_wakeup(watch->multi);
        return;
    }
    uint64_t one = 1;
    // It fails only when it is full, and then it can be read anyway.
    (void)!write(watch->event, &one, sizeof one);
}

void ccurl_watch_lead(ccurl_watch *watch, CURLM *multi) {
    watch->multi = multi;
    watch->deadline = -1;
#ifdef __linux__
    watch->event_count = -1;
    if (watch->epoll >= 0) {
        curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
        curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, watch);
        curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
        curl_multi_setopt(multi, CURLMOPT_TIMERDATA, watch);
    }
#endif
}

ccurl_watch *ccurl_watch_new(bool uses_epoll) {
    ccurl_watch *watch = calloc(1, sizeof *watch);
    if (!watch) {
        return NULL;
    }
    watch->first_of_port = calloc(1 << 16, sizeof *watch->first_of_port);
    if (!watch->first_of_port) {
        free(watch);
        return NULL;
    }
    watch->epoll = -1;
    watch->event = -1;
    watch->deadline = -1;
#ifdef __linux__
    if (uses_epoll) {
        open_epoll(watch);
    }
#else
    (void)uses_epoll;
#endif
    return watch;
}

void ccurl_watch_free(ccurl_watch *watch) {
    close_epoll(watch);
    free(watch->sockets);
    free(watch->first_of_port);
    free(watch);
}
