#ifndef DOCUMENTS_HPP
#define DOCUMENTS_HPP

#include <string>

/// An array of records like those of services: numbers, texts, times, flags, a nested object and a list.
inline std::string records(int count, unsigned seed = 12345) {
    static const char *names[] = {"Ada Lovelace", "Grace Hopper", "Ren\u00e9e Fa\u00efza",
                                  "Alan Turing", "Edsger Dijkstra"};
    static const char *states[] = {"open", "closed", "in review"};
    std::string text = "[";
    auto random = [&seed] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
    for (int i = 0; i < count; i++) {
        std::string id = std::to_string(100000 + random() % 900000);
        text += i ? "," : "";
        text += "{\"id\":" + id + ",\"name\":\"" + names[random() % 5] + "\",\"email\":\"user" + id
            + "@example.org\",\"active\":" + (random() % 2 ? "true" : "false") + ",\"score\":"
            + std::to_string(random() % 1000) + "." + std::to_string(10 + random() % 90) + ",\"state\":\""
            + states[random() % 3] + "\",\"created_at\":\"2024-0" + std::to_string(1 + random() % 9)
            + "-17T09:24:00Z\",\"manager\":null,\"tags\":[\"red\",\"tag" + std::to_string(random() % 100)
            + "\"],\"address\":{\"street\":\"" + std::to_string(random() % 200)
            + " Long Street\",\"zip\":\"12345\",\"geo\":[52.5" + std::to_string(random() % 1000) + ",13.4"
            + std::to_string(random() % 1000) + "]},\"note\":\"He said \\\"hello\\\"\\nand left.\"}";
    }
    return text + "]";
}

inline std::string numbers(int count) {
    std::string text = "[";
    for (int i = 0; i < count; i++) {
        text += (i ? "," : "") + std::to_string(i * 37 % 1000) + (i % 2 ? ".25" : "");
    }
    return text + "]";
}

inline std::string texts(int count) {
    std::string text = "[";
    for (int i = 0; i < count; i++) {
        std::string run(static_cast<size_t>(20 + i * 7 % 200), 'x');
        text += (i ? ",\"" : "\"") + run + std::to_string(i) + "\"";
    }
    return text + "]";
}

#endif
