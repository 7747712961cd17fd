// Waiting before trying again.
#pragma once

#include <chrono>
#include <random>
#include <stop_token>

namespace kawuxing::bot {

// Pauses that double from 0.1 s to 5 s, each taken at random from its upper half, so that bots do not return in step.
class Backoff {
public:
    // Begins again with the shortest pause, after a success.
    void reset() { next_ = first; }

    // Waits, but no longer than until a stop is requested.
    void pause(const std::stop_token& stop);

private:
    static constexpr std::chrono::milliseconds first{100};
    static constexpr std::chrono::milliseconds longest{5'000};

    std::chrono::milliseconds next_ = first;
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace kawuxing::bot
