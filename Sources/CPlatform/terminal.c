#include "cplatform.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

// 0 when there is something to read; else what to say instead of a character.
static int wait_for_input(int input, int interruption, int wake) {
    // A negative descriptor is left alone (poll(2)).
    struct pollfd waited[] = {
        {.fd = input, .events = POLLIN}, {.fd = interruption, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    if (poll(waited, 3, -1) < 0) return errno == EINTR ? CPLATFORM_SIGNAL : -1;
    if (waited[1].revents != 0) return -1;
    return waited[2].revents == 0 ? 0 : CPLATFORM_SIGNAL;
}

int cplatform_read_character(int input, int interruption, int wake) {
    mbstate_t state;
    memset(&state, 0, sizeof state);
    while (true) {
        // In the middle of a character the rest comes first.
        int refusal = wait_for_input(input, interruption, mbsinit(&state) ? wake : -1);
        if (refusal == CPLATFORM_SIGNAL && !mbsinit(&state)) continue;
        if (refusal != 0) return refusal;
        char byte;
        ssize_t count = read(input, &byte, 1);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count != 1) return -1;
        wchar_t character;
        bool is_first = mbsinit(&state);
        size_t used = mbrtowc(&character, &byte, 1, &state);
        if (used == (size_t)-1) {
            // The bytes so far are no character; this byte may begin one.
            memset(&state, 0, sizeof state);
            if (is_first) continue;
            used = mbrtowc(&character, &byte, 1, &state);
            if (used == (size_t)-1) memset(&state, 0, sizeof state);
        }
        if (used <= 1) return (int)character;
    }
}
