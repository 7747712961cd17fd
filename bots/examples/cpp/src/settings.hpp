// What the environment says: where to play, as whom, and how much.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace kawuxing::bot {

enum class ExitCode { over = 0, settings = 2, incompatible = 3 };

// Ends the program with a message for its user.
class Refusal : public std::runtime_error {
public:
    Refusal(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

    ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

struct Settings {
    std::string address;  // host:port of the arena
    std::string token;
    unsigned capacity = 1;            // matches at once, 1 to 64
    std::optional<unsigned> matches;  // matches to play before stopping; none for as many as there are
};

// Returns the value of a variable or null, as std::getenv does.
using Environment = std::function<const char*(const char* name)>;

// Returns the settings. Throws a Refusal that names the variable, its value and what was expected.
Settings read_settings(const Environment& environment);

}  // namespace kawuxing::bot
