// The matcher behind string.find, match, gmatch and gsub: Lua's patterns (manual 6.4.1), with a look at the
// budget every so many steps. It keeps the choices to which it may have to come back on a stack of its own:
// an item is passed once on any way through the pattern, so there are never more choices than items.
#include "pattern.h"

#include <ctype.h>
#include <lauxlib.h>
#include <string.h>

enum { STEPS = 1 << 15, MAX_CHOICES = 200, UNFINISHED = -1, POSITION = -2 };

/// The step to take when the rest of the pattern does not match.
typedef struct {
    enum { SHORTER, LONGER, OPENED, CLOSED } kind;
    /// SHORTER and LONGER: where the pattern goes on.
    const char *rest;
    union {
        /// SHORTER: the item took `count` characters from `from`, and would be content with fewer.
        struct {
            const char *from;
            size_t count;
        };
        /// LONGER: the item has reached `to` and could take one more.
        struct {
            const char *to, *item;
        };
        /// CLOSED
        int capture;
    };
} choice_point;

void clua_pattern_begin(clua_pattern *m, lua_State *L, const char *text, size_t length, const char *end) {
    m->L = L;
    m->begin = text;
    m->end = text + length;
    m->pattern_end = end;
    m->timeout = STEPS;
}

static inline void step(clua_pattern *m, size_t count) {
    if (m->timeout > count) {
        m->timeout -= count;
        return;
    }
    m->timeout = STEPS;
    clua_poll(m->L);
}

static bool is_in_class(unsigned char c, unsigned char letter) {
    bool is;
    // Letters are a class, in capitals all that is not in it.
    switch (letter | 0x20) {
    case 'a': is = isalpha(c); break;
    case 'c': is = iscntrl(c); break;
    case 'd': is = isdigit(c); break;
    case 'g': is = isgraph(c); break;
    case 'l': is = islower(c); break;
    case 'p': is = ispunct(c); break;
    case 's': is = isspace(c); break;
    case 'u': is = isupper(c); break;
    case 'w': is = isalnum(c); break;
    case 'x': is = isxdigit(c); break;
    // Deprecated since 5.2, and still there.
    case 'z': is = c == 0; break;
    default: return letter == c;
    }
    return is == ((letter & 0x20) != 0);
}

// `p` lies behind the opening bracket, `close` on the closing one.
static bool is_in_set(unsigned char c, const char *p, const char *close) {
    bool wanted = true;
    if (*p == '^') {
        wanted = false;
        p++;
    }
    while (p < close) {
        if (*p == '%') {
            if (is_in_class(c, (unsigned char)p[1])) return wanted;
            p += 2;
        } else if (p[1] == '-' && p + 2 < close) {
            if ((unsigned char)p[0] <= c && c <= (unsigned char)p[2]) return wanted;
            p += 3;
        } else {
            if ((unsigned char)*p == c) return wanted;
            p++;
        }
    }
    return !wanted;
}

// A closing bracket that comes first stands for itself.
static const char *end_of_set(clua_pattern *m, const char *p) {
    if (p < m->pattern_end && *p == '^') p++;
    for (bool first = true; p < m->pattern_end; first = false) {
        if (*p == ']' && !first) return p + 1;
        p += *p == '%' ? 2 : 1;
    }
    luaL_error(m->L, "malformed pattern (missing ']')");
    return NULL;
}

// Where the item ends that stands for one character; a repetition may follow.
static const char *end_of_item(clua_pattern *m, const char *p) {
    if (*p == '[') return end_of_set(m, p + 1);
    if (*p != '%') return p + 1;
    if (p + 1 >= m->pattern_end) luaL_error(m->L, "malformed pattern (ends with '%%')");
    return p + 2;
}

static bool fits(unsigned char c, const char *item, const char *end) {
    switch (*item) {
    case '.': return true;
    case '%': return is_in_class(c, (unsigned char)item[1]);
    case '[': return is_in_set(c, item + 1, end - 1);
    default: return (unsigned char)*item == c;
    }
}

static bool fits_at(const clua_pattern *m, const char *s, const char *item, const char *end) {
    return s < m->end && fits((unsigned char)*s, item, end);
}

// How many characters in a row fit.
static size_t run(clua_pattern *m, const char *s, const char *item, const char *end) {
    if (*item == '.') return (size_t)(m->end - s);
    const char *from = s;
    while (fits_at(m, s, item, end)) {
        s++;
        step(m, 1);
    }
    return (size_t)(s - from);
}

static const char *balanced(clua_pattern *m, const char *s, const char *p) {
    if (p + 2 > m->pattern_end) luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (s >= m->end || *s != p[0]) return NULL;
    for (size_t depth = 1; ++s < m->end; step(m, 1)) {
        if (*s == p[1]) {
            if (--depth == 0) return s + 1;
        } else if (*s == p[0]) {
            depth++;
        }
    }
    return NULL;
}

static bool is_frontier(const clua_pattern *m, const char *s, const char *set, const char *end) {
    unsigned char before = s == m->begin ? 0 : (unsigned char)s[-1];
    unsigned char after = s == m->end ? 0 : (unsigned char)*s;
    return !is_in_set(before, set + 1, end - 1) && is_in_set(after, set + 1, end - 1);
}

static const char *repeated(clua_pattern *m, const char *s, char digit) {
    int number = digit - '1';
    if (number < 0 || number >= m->count || m->captures[number].length == UNFINISHED)
        luaL_error(m->L, "invalid capture index %%%d", number + 1);
    ptrdiff_t length = m->captures[number].length;
    if (length == POSITION || m->end - s < length) return NULL;
    step(m, (size_t)length / 16);
    return memcmp(m->captures[number].start, s, (size_t)length) == 0 ? s + length : NULL;
}

static int last_open(clua_pattern *m) {
    for (int i = m->count - 1; i >= 0; i--)
        if (m->captures[i].length == UNFINISHED) return i;
    return luaL_error(m->L, "invalid pattern capture");
}

static choice_point *next_choice(clua_pattern *m, choice_point *choices, int *count) {
    if (*count == MAX_CHOICES) luaL_error(m->L, "pattern too complex");
    return &choices[(*count)++];
}

// Goes back to the last choice that knows another way. NULL when there is none.
static const char *come_back(clua_pattern *m, choice_point *choices, int *count, const char **rest) {
    while (*count > 0) {
        choice_point *last = &choices[*count - 1];
        step(m, 1);
        switch (last->kind) {
        case OPENED: m->count--; break;
        case CLOSED: m->captures[last->capture].length = UNFINISHED; break;
        case SHORTER:
            if (last->count > 0) {
                *rest = last->rest;
                return last->from + --last->count;
            }
            break;
        case LONGER:
            if (fits_at(m, last->to, last->item, last->rest - 1)) {
                *rest = last->rest;
                return ++last->to;
            }
            break;
        }
        (*count)--;
    }
    return NULL;
}

const char *clua_pattern_match(clua_pattern *m, const char *s, const char *p) {
    choice_point choices[MAX_CHOICES];
    int count = 0;
    m->count = 0;
    step(m, 1);
    for (;;) {
        if (!s && !(s = come_back(m, choices, &count, &p))) return NULL;
        if (p >= m->pattern_end) return s;
        if (*p == '(') {
            if (m->count == CLUA_MAX_CAPTURES) luaL_error(m->L, "too many captures");
            bool is_position = p[1] == ')';
            next_choice(m, choices, &count)->kind = OPENED;
            m->captures[m->count].start = s;
            m->captures[m->count++].length = is_position ? POSITION : UNFINISHED;
            p += is_position ? 2 : 1;
            continue;
        }
        if (*p == ')') {
            int capture = last_open(m);
            m->captures[capture].length = s - m->captures[capture].start;
            *next_choice(m, choices, &count) = (choice_point){.kind = CLOSED, .capture = capture};
            p++;
            continue;
        }
        if (*p == '$' && p + 1 == m->pattern_end) {
            if (s != m->end) s = NULL;
            p++;
            continue;
        }
        if (*p == '%' && p[1] == 'b') {
            s = balanced(m, s, p + 2);
            p += 4;
            continue;
        }
        if (*p == '%' && p[1] == 'f') {
            const char *set = p + 2;
            if (set >= m->pattern_end || *set != '[') luaL_error(m->L, "missing '[' after '%%f' in pattern");
            p = end_of_set(m, set + 1);
            if (!is_frontier(m, s, set, p)) s = NULL;
            continue;
        }
        if (*p == '%' && isdigit((unsigned char)p[1])) {
            s = repeated(m, s, p[1]);
            p += 2;
            continue;
        }
        const char *end = end_of_item(m, p);
        char repetition = end < m->pattern_end ? *end : 0;
        if (repetition == '-') {
            *next_choice(m, choices, &count) = (choice_point){.kind = LONGER, .rest = end + 1, .to = s, .item = p};
        } else if (repetition == '*' || repetition == '+' || repetition == '?') {
            size_t most = repetition == '?' ? fits_at(m, s, p, end) : run(m, s, p, end);
            if (repetition == '+') {
                if (most == 0) {
                    s = NULL;
                    continue;
                }
                s++;
                most--;
            }
            if (most > 0) {
                choice_point *new = next_choice(m, choices, &count);
                *new = (choice_point){.kind = SHORTER, .rest = end + 1, .from = s, .count = most};
            }
            s += most;
        } else {
            s = fits_at(m, s, p, end) ? s + 1 : NULL;
            p = end;
            continue;
        }
        p = end + 1;
    }
}

void clua_pattern_push_capture(const clua_pattern *m, int number, const char *s, const char *end) {
    if (number >= m->count) {
        if (number != 0) luaL_error(m->L, "invalid capture index %%%d", number + 1);
        lua_pushlstring(m->L, s, (size_t)(end - s));
        return;
    }
    ptrdiff_t length = m->captures[number].length;
    if (length == UNFINISHED) luaL_error(m->L, "unfinished capture");
    if (length == POSITION) lua_pushinteger(m->L, m->captures[number].start - m->begin + 1);
    else lua_pushlstring(m->L, m->captures[number].start, (size_t)length);
}

int clua_pattern_push_captures(const clua_pattern *m, const char *s, const char *end) {
    int count = m->count == 0 && s ? 1 : m->count;
    luaL_checkstack(m->L, count, "too many captures");
    for (int i = 0; i < count; i++) clua_pattern_push_capture(m, i, s, end);
    return count;
}
