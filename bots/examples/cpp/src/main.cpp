// A bot for a Kawuxing arena. Exit codes: 0 it is over, 2 a setting is wrong or refused, 3 the versions do not fit.
#include <pthread.h>
#include <signal.h>

#include <cstdlib>
#include <iostream>
#include <thread>

#include "lobby.hpp"
#include "settings.hpp"

namespace {

// Closes the lobby when SIGINT or SIGTERM comes. To be made before any other thread, which would take the signal.
class SignalWatch {
public:
    explicit SignalWatch(kawuxing::bot::Lobby& lobby) {
        sigemptyset(&signals_);
        sigaddset(&signals_, SIGINT);
        sigaddset(&signals_, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
        thread_ = std::thread([this, &lobby] {
            int signal = 0;
            sigwait(&signals_, &signal);
            lobby.close();
        });
    }

    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    ~SignalWatch() {
        pthread_kill(thread_.native_handle(), SIGTERM);
        thread_.join();
    }

private:
    sigset_t signals_{};
    std::thread thread_;
};

}  // namespace

int main() {
    try {
        kawuxing::bot::Lobby lobby(kawuxing::bot::read_settings([](const char* name) { return std::getenv(name); }));
        const SignalWatch watch(lobby);
        lobby.run();
    } catch (const kawuxing::bot::Refusal& refusal) {
        std::cerr << "error: " << refusal.what() << std::endl;
        return static_cast<int>(refusal.code());
    }
    return static_cast<int>(kawuxing::bot::ExitCode::over);
}
