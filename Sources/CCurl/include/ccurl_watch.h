// Sockets and times for which the transfers of a multi handle wait, and the wait itself.
#ifndef CCURL_WATCH_H
#define CCURL_WATCH_H

#include <curl/curl.h>
#include <stdbool.h>

/// Waits for the sockets and timers of one multi handle and tells libcurl of those that are ready
/// (curl_multi_socket_action(3)), so that a pass costs as much as is ready and not as much as runs.
///
/// Of one thread, but for `ccurl_watch_wake`. Where the system has no epoll(7), or no descriptor for one, it
/// is libcurl that waits and looks at all transfers (curl_multi_poll(3)).
typedef struct ccurl_watch ccurl_watch;

/// NULL when there is no memory.
///
/// - Parameter uses_epoll: False to leave the wait to libcurl.
ccurl_watch *ccurl_watch_new(bool uses_epoll);

/// No multi handle may be left that was watched.
void ccurl_watch_free(ccurl_watch *watch);

/// From now on this one is watched. One that was before needs no more than to be cleaned up.
void ccurl_watch_lead(ccurl_watch *watch, CURLM *multi);

/// The connections that this handle makes tell the watch when they are closed. It must outlive them.
void ccurl_watch_connections(ccurl_watch *watch, CURL *easy);

/// A handle that `ccurl_watch_connections` was called with has made this socket: it stays watched while its
/// connection rests between two transfers, which spares two calls of the system for each.
///
/// - Parameter maker: An address that tells this maker of connections from others.
void ccurl_watch_opened(ccurl_watch *watch, curl_socket_t socket, const void *maker);

/// An answer of HTTP/1 has come on this socket of `maker`: while it rests, nothing may come (RFC 9112 9.2).
/// No effect when the number is another socket's by now.
void ccurl_watch_note_http1(ccurl_watch *watch, curl_socket_t socket, const void *maker);

/// Whether a socket that has this port on our side takes turns.
bool ccurl_watch_has_http1(const ccurl_watch *watch, int port);

/// Whether something waits to be read on a socket that rests, takes turns and has this port on our side.
/// libcurl can't say which socket a connection has that it is about to use.
bool ccurl_watch_has_input(const ccurl_watch *watch, int port);

/// Waits until something is ready, be it only the end of a resting connection, a timer of libcurl is due,
/// or the watch is woken. Negative: for ever.
CURLMcode ccurl_watch_wait(ccurl_watch *watch, int milliseconds);

/// Does what can be done without waiting.
CURLMcode ccurl_watch_perform(ccurl_watch *watch);

/// Ends the current or the next wait, from any thread.
void ccurl_watch_wake(ccurl_watch *watch);

#endif
