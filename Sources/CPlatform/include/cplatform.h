// Calls of the system that Swift can't see: they are behind feature macros.
#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Starts a detached thread; it runs `body` with `argument`. Debuggers and `top -H` show its name, of which
/// the system keeps 15 bytes. 0 for `stack_bytes` is the system's own size. Gives 0, or the number of an
/// error when there can be no more threads; `body` is not called then.
///
/// Signals to the process reach the main thread, never this one: libedit sends itself SIGINT again and goes
/// on as if it had been handled when the call returns, which holds on the thread it calls from alone.
int cplatform_start_thread(
    const char *_Nonnull name, size_t stack_bytes, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull argument);

/// Keeps freed memory for the next transfer: without it the C library gives large buffers back to the system
/// and asks for them again, page fault by page fault. Once, before threads start.
void cplatform_keep_freed_memory(void);

/// Gives what is kept back to the system after all. Any thread.
void cplatform_give_back_freed_memory(void);

/// The part of that which only a thread that allocates in the same arena can do.
void cplatform_give_back_end_of_arena(void);

/// The calling thread's number for `cplatform_thread_usage`; 0 where the system tells nothing of other
/// threads.
int cplatform_thread_id(void);

/// Looks at a thread of this process: whether it runs or waits for a processor, and its CPU time in clock
/// ticks of a hundredth of a second. False when that isn't known, or it has ended.
bool cplatform_thread_usage(int thread, bool *_Nonnull wants_processor, int64_t *_Nonnull ticks);

/// The processors on which the calling thread may run (sched_getaffinity(2)); 0 when that isn't known.
int cplatform_usable_processors(void);

#define CPLATFORM_SIGNAL (-2)

/// Waits for one character of `input`, in the encoding of the process's locale (mbrtowc(3)); bytes that are
/// none are left out. -1 at the end, and as soon as something can be read from `interruption`;
/// CPLATFORM_SIGNAL when the calling thread has handled a signal meanwhile, or something can be read from
/// `wake`. Either may be -1 for nothing.
int cplatform_read_character(int input, int interruption, int wake);

/// Opens /dev/null in the place of each of the descriptors 0, 1 and 2 that is closed.
void cplatform_open_standard_streams(void);

/// Bytes of address space or data that the process may have (getrlimit(2), RLIMIT_AS and RLIMIT_DATA), the
/// smaller one; -1 where there is no limit.
long cplatform_memory_limit(void);

/// The soft limit of open file descriptors (getrlimit(2), RLIMIT_NOFILE); -1 when it isn't known.
int cplatform_descriptor_limit(void);

/// Raises it to the hard limit, and to `most` at most.
void cplatform_raise_descriptor_limit(int most);

/// The calling thread's name, always terminated.
void cplatform_get_thread_name(char *_Nonnull buffer, size_t size);

/// Starts a program in a process group of its own, so that the terminal's signals reach its parent alone. Its
/// descriptors 3 and 4 are `first` and `second`, and it has no others but the standard streams. Gives 0 and
/// the process, or the number of an error (posix_spawn(3)). `arguments` and `environment` end with NULL.
int cplatform_spawn(
    const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
    char *_Nullable const *_Nonnull environment, int first, int second, int *_Nonnull process);

/// Sends bytes, and with the first of them a descriptor unless it is -1 (unix(7), SCM_RIGHTS). Gives the
/// number of bytes sent, or -1 and errno. A closed other end is an error, not a signal.
long cplatform_send(int socket, const void *_Nonnull bytes, size_t count, int descriptor);

/// Waits for a connection to a listening socket that other processes share, which the system gives them in
/// turn. Gives the connection's descriptor, which is not inherited and doesn't block, or the negative number
/// of an error, EINTR after `cplatform_interrupt`.
int cplatform_accept(int socket);

/// Whether there is something to read, or a connection to accept.
bool cplatform_is_readable(int descriptor);

/// The calling thread, for `cplatform_interrupt`; from now on that works.
uintptr_t cplatform_interruptible_thread(void);

/// Interrupts the system call that a thread waits in. One that is about to wait isn't interrupted.
void cplatform_interrupt(uintptr_t thread);

/// Receives bytes, and a descriptor if one came with them, else -1. It is not inherited. Gives the number of
/// bytes, 0 at the end, or -1 and errno.
long cplatform_receive(int socket, void *_Nonnull bytes, size_t room, int *_Nonnull descriptor);

#endif
