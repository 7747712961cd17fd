#include "backoff.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace kawuxing::bot {

void Backoff::pause(const std::stop_token& stop) {
    std::uniform_int_distribution<std::chrono::milliseconds::rep> upper_half(next_.count() / 2, next_.count());
    const std::chrono::milliseconds pause{upper_half(random_)};
    next_ = std::min(2 * next_, longest);
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, pause, [] { return false; });
}

}  // namespace kawuxing::bot
