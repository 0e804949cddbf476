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

void ccurl_set_input(ccurl_watch *watch, struct socket_state *state, bool has_input) {
    if (state->has_input != has_input) {
        state->has_input = has_input;
        watch->input_count += has_input ? 1 : (size_t)-1;
    }
}

static int on_close(void *context, curl_socket_t socket) {
    ccurl_watch *watch = context;
    if ((size_t)socket < watch->socket_count) {
        ccurl_set_input(watch, &watch->sockets[socket], false);
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
        ccurl_set_input(watch, state, false);
        // Whatever had the number before is closed.
        *state = (struct socket_state){.tells_of_close = true, .maker = maker};
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

void ccurl_watch_takes_turns(ccurl_watch *watch, curl_socket_t socket, const void *maker) {
    if ((size_t)socket < watch->socket_count && watch->sockets[socket].maker == maker) {
        watch->sockets[socket].takes_turns = true;
        watch->sockets[socket].port = local_port(socket);
    }
}

bool ccurl_is_readable(curl_socket_t socket) {
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool ccurl_watch_does_take_turns(const ccurl_watch *watch, int port) {
    for (size_t i = 0; i < watch->socket_count; i++) {
        if (watch->sockets[i].takes_turns && watch->sockets[i].port == port) {
            return true;
        }
    }
    return false;
}

bool ccurl_watch_has_input(ccurl_watch *watch, int port) {
    // Without epoll nothing is known before it is asked for.
    if (watch->input_count == 0 && watch->epoll >= 0) {
        return false;
    }
    for (size_t i = 0; i < watch->socket_count; i++) {
        struct socket_state *state = &watch->sockets[i];
        bool may_have = watch->epoll < 0 ? state->takes_turns : state->has_input;
        if (may_have && state->port == port && ccurl_is_readable((curl_socket_t)i)) {
            return true;
        }
    }
    return false;
}
