#define _POSIX_C_SOURCE 200809L

#include "sockets.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct socket_state *ccurl_find_state(ccurl_watch *watch, curl_socket_t socket) {
    size_t index = (size_t)socket;
    if (index >= watch->socket_count) {
        size_t count = index + 64 > 2 * watch->socket_count ? index + 64 : 2 * watch->socket_count;
        struct socket_state *larger = realloc(watch->sockets, count * sizeof *larger);
        if (!larger) {
            return NULL;
        }
        memset(larger + watch->socket_count, 0, (count - watch->socket_count) * sizeof *larger);
        watch->sockets = larger;
        watch->socket_count = count;
    }
    return &watch->sockets[index];
}

// Takes the socket out of those with its port.
static void forget_port(ccurl_watch *watch, curl_socket_t socket, struct socket_state *state) {
    if (!state->is_http1) {
        return;
    }
    uint32_t *link = &watch->first_of_port[state->port];
    while (*link != (uint32_t)socket + 1) {
        link = &watch->sockets[*link - 1].next_of_port;
    }
    *link = state->next_of_port;
}

static int on_close(void *context, curl_socket_t socket) {
    ccurl_watch *watch = context;
    if ((size_t)socket < watch->socket_count) {
        forget_port(watch, socket, &watch->sockets[socket]);
        // epoll forgets what is closed by itself.
        memset(&watch->sockets[socket], 0, sizeof watch->sockets[socket]);
    }
    return close(socket);
}

void ccurl_watch_connections(ccurl_watch *watch, CURL *easy) {
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, watch);
}

void ccurl_watch_opened(ccurl_watch *watch, curl_socket_t socket, const void *maker) {
    struct socket_state *state = ccurl_find_state(watch, socket);
    if (state) {
        // The former socket with this number is closed.
        forget_port(watch, socket, state);
        *state = (struct socket_state){.reports_close = true, .maker = maker};
    }
}

static uint16_t local_port(curl_socket_t socket) {
    struct sockaddr_storage name = {0};
    socklen_t size = sizeof name;
    if (getsockname(socket, (struct sockaddr *)&name, &size) != 0) {
        return 0;
    }
    switch (name.ss_family) {
    case AF_INET: return ntohs(((struct sockaddr_in *)&name)->sin_port);
    case AF_INET6: return ntohs(((struct sockaddr_in6 *)&name)->sin6_port);
    default: return 0;
    }
}

void ccurl_watch_note_http1(ccurl_watch *watch, curl_socket_t socket, const void *maker) {
    if ((size_t)socket >= watch->socket_count) {
        return;
    }
    struct socket_state *state = &watch->sockets[socket];
    if (state->maker == maker && !state->is_http1) {
        state->is_http1 = true;
        state->port = local_port(socket);
        state->next_of_port = watch->first_of_port[state->port];
        watch->first_of_port[state->port] = (uint32_t)socket + 1;
    }
}

bool ccurl_watch_has_http1(const ccurl_watch *watch, int port) {
    return watch->first_of_port[(uint16_t)port] != 0;
}

// False for the end of a connection, which libcurl sees by itself.
static bool is_readable(curl_socket_t socket) {
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool ccurl_watch_has_input(const ccurl_watch *watch, int port) {
    for (uint32_t link = watch->first_of_port[(uint16_t)port]; link != 0;) {
        const struct socket_state *state = &watch->sockets[link - 1];
        if (!state->is_wanted && is_readable((curl_socket_t)(link - 1))) {
            return true;
        }
        link = state->next_of_port;
    }
    return false;
}
