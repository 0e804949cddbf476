// What Swift can't see of the system: calls behind feature macros.
#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stddef.h>

/// Names the calling thread, as debuggers and `top -H` show it; the system cuts it at 15 bytes.
void cplatform_set_thread_name(const char *name);

/// Keeps freed memory for the next transfer: without it the C library gives large buffers back to the system and asks
/// for them again, page fault by page fault. Once, before threads start.
void cplatform_keep_freed_memory(void);

/// Gives what is kept back to the system after all, for when memory is short. Any thread.
void cplatform_give_back_freed_memory(void);

/// The calling thread's name, always terminated.
void cplatform_get_thread_name(char *buffer, size_t size);

#endif
