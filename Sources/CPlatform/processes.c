// Starting workers, and handing them descriptors. In C because posix_spawn's types differ from system to
// system, and because CMSG macros are not imported by Swift.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cplatform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

int cplatform_spawn(
    const char *path, char *const *arguments, char *const *environment, int first, int second, int *process) {
  // A number of the two may be the other's goal, so both move away before.
  int moved_first = fcntl(first, F_DUPFD_CLOEXEC, 10);
  if (moved_first < 0) return errno;
  int moved_second = fcntl(second, F_DUPFD_CLOEXEC, 10);
  if (moved_second < 0) {
    int code = errno;
    close(moved_first);
    return code;
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t signals;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, moved_first, 3);
  posix_spawn_file_actions_adddup2(&actions, moved_second, 4);
  // A program starts with the mask of the calling thread, and threads here block signals.
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  sigdelset(&signals, SIGKILL);
  sigdelset(&signals, SIGSTOP);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  int code = posix_spawn(&child, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(moved_first);
  close(moved_second);
  *process = child;
  return code;
}

#ifdef MSG_NOSIGNAL
#define SEND_FLAGS MSG_NOSIGNAL
#else
#define SEND_FLAGS 0
#endif

#ifdef MSG_CMSG_CLOEXEC
#define RECEIVE_FLAGS MSG_CMSG_CLOEXEC
#else
#define RECEIVE_FLAGS 0
#endif

long cplatform_send(int socket, const void *bytes, size_t count, int descriptor) {
  struct iovec part = {(void *)(uintptr_t)bytes, count};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message;
  memset(&message, 0, sizeof message);
  memset(&control, 0, sizeof control);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, SEND_FLAGS);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

long cplatform_receive(int socket, void *bytes, size_t room, int *descriptor) {
  struct iovec part = {bytes, room};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.room;
  message.msg_controllen = sizeof control.room;
  ssize_t received;
  do {
    received = recvmsg(socket, &message, RECEIVE_FLAGS);
  } while (received < 0 && errno == EINTR);
  *descriptor = -1;
  if (received <= 0) return received;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    memcpy(descriptor, CMSG_DATA(header), sizeof(int));
#ifndef MSG_CMSG_CLOEXEC
    fcntl(*descriptor, F_SETFD, FD_CLOEXEC);
#endif
  }
  return received;
}

int cplatform_accept(int socket) {
#ifdef __linux__
  int descriptor = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
#else
  int descriptor = accept(socket, NULL, NULL);
  if (descriptor < 0) return -errno;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return descriptor;
#endif
}

static void ignore(int signal) { (void)signal; }

uintptr_t cplatform_interruptible_thread(void) {
  // Without SA_RESTART, so that the call ends. By default this signal does nothing.
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = ignore;
  sigaction(SIGURG, &action, NULL);
  // A thread that libdispatch's threads start inherits their mask, which blocks the signal.
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  pthread_sigmask(SIG_UNBLOCK, &urgent, NULL);
  return (uintptr_t)pthread_self();
}

bool cplatform_is_readable(int descriptor) {
  struct pollfd waited = {.fd = descriptor, .events = POLLIN};
  return poll(&waited, 1, 0) == 1;
}

void cplatform_interrupt(uintptr_t thread) { pthread_kill((pthread_t)thread, SIGURG); }
