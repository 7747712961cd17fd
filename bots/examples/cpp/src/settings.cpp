#include "settings.hpp"

#include <charconv>
#include <string_view>

namespace kawuxing::bot {
namespace {

constexpr unsigned max_capacity = 64;
constexpr unsigned max_matches = 1'000'000'000;
constexpr unsigned max_port = 65'535;

std::string value_of(const Environment& environment, const char* name) {
    const char* value = environment(name);
    return value ? value : "";
}

std::string required(const Environment& environment, const char* name) {
    std::string value = value_of(environment, name);
    if (value.empty()) {
        throw Refusal(ExitCode::settings, std::string(name) + " is not set");
    }
    return value;
}

// Returns the whole number from 1 to `limit` that the text is, if it is one.
std::optional<unsigned> number_in(std::string_view text, unsigned limit) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > limit) {
        return std::nullopt;
    }
    return value;
}

std::string checked_address(const std::string& text) {
    const auto colon = text.rfind(':');
    const bool has_host = colon != std::string::npos && colon > 0 && text.find('/') == std::string::npos;
    if (!has_host || !number_in(std::string_view(text).substr(colon + 1), max_port)) {
        throw Refusal(ExitCode::settings,
                      "KAWUXING_ADDRESS is '" + text + "': expected host:port, such as 127.0.0.1:7700");
    }
    return text;
}

std::optional<unsigned> whole_number(const Environment& environment, const char* name, unsigned limit) {
    const std::string text = value_of(environment, name);
    if (text.empty()) {
        return std::nullopt;
    }
    const auto value = number_in(text, limit);
    if (!value) {
        throw Refusal(ExitCode::settings, std::string(name) + " is '" + text + "': expected a whole number from 1 to " +
                                              std::to_string(limit));
    }
    return value;
}

}  // namespace

Settings read_settings(const Environment& environment) {
    return {
        .address = checked_address(required(environment, "KAWUXING_ADDRESS")),
        .token = required(environment, "KAWUXING_TOKEN"),
        .capacity = whole_number(environment, "KAWUXING_CAPACITY", max_capacity).value_or(1),
        .matches = whole_number(environment, "KAWUXING_MATCHES", max_matches),
    };
}

}  // namespace kawuxing::bot
