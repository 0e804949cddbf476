// The watch, and its record of each socket.
#ifndef CCURL_SOCKETS_H
#define CCURL_SOCKETS_H

#include "ccurl_watch.h"

#include <stdint.h>

#ifdef __linux__
#include <sys/epoll.h>
#endif

// libcurl gets so many events at once, before their results are passed on.
enum { most_events = 64 };

// The record of one descriptor.
struct socket_state {
    // The events that epoll looks for, in libcurl's terms; 0 when it doesn't know the descriptor.
    uint8_t watched;
    // A transfer waits for it.
    bool is_wanted;
    // on_close is called when it is closed.
    bool reports_close;
    // A request on it waits for the answer to the one before: between two of them nothing may come.
    bool is_http1;
    // The handle that made it.
    const void *maker;
    // Of a socket that takes turns, here; 0 for one that has no ports.
    uint16_t port;
    // One more than the next socket that takes turns and has the same port; 0 for none.
    uint32_t next_of_port;
};

struct ccurl_watch {
    CURLM *multi;
    // -1 when libcurl waits.
    int epoll;
    // A wake-up writes to it.
    int event;
    // The write was seen outside of a wait, which it still has to end.
    bool is_woken;
    // Microseconds of the monotonic clock at which libcurl's next timer is due; 0 for now, -1 for none.
    int64_t deadline;
    struct socket_state *sockets;
    size_t socket_count;
    // By port, one more than the first socket that takes turns and has it; 0 for none. Two sockets have the
    // same port when they lead to different servers.
    uint32_t *first_of_port;
#ifdef __linux__
    // Events of the last wait that libcurl has yet to get; -1 when there was no wait since.
    int event_count;
    struct epoll_event events[most_events];
#endif
};

/// NULL when there is no memory. Another descriptor may move it.
struct socket_state *ccurl_find_state(ccurl_watch *watch, curl_socket_t socket);

#endif
