#include "settings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

namespace kawuxing::bot {
namespace {

using Variables = std::map<std::string, std::string>;

Settings read_right_but(const Variables& changes) {
    Variables variables = changes;
    variables.insert({{"KAWUXING_ADDRESS", "arena.example.org:7700"}, {"KAWUXING_TOKEN", "secret"}});
    return read_settings([&variables](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

TEST(Settings, AddressAndTokenAreEnough) {
    const Settings settings = read_right_but({});

    EXPECT_EQ("arena.example.org:7700", settings.address);
    EXPECT_EQ("secret", settings.token);
    EXPECT_EQ(1u, settings.capacity);
    EXPECT_FALSE(settings.matches);
}

TEST(Settings, CapacityAndMatchesAreWholeNumbers) {
    const Settings settings = read_right_but({{"KAWUXING_CAPACITY", "64"}, {"KAWUXING_MATCHES", "3"}});

    EXPECT_EQ(64u, settings.capacity);
    EXPECT_EQ(3u, settings.matches);
}

TEST(Settings, AMissingOneIsRefusedByName) {
    for (const std::string name : {"KAWUXING_ADDRESS", "KAWUXING_TOKEN"}) {
        try {
            read_right_but({{name, ""}});
            ADD_FAILURE() << name;
        } catch (const Refusal& refusal) {
            EXPECT_EQ(name + " is not set", refusal.what());
        }
    }
}

class MalformedSetting : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(MalformedSetting, IsRefusedByName) {
    const auto& [name, value] = GetParam();
    try {
        read_right_but({{name, value}});
        ADD_FAILURE() << name;
    } catch (const Refusal& refusal) {
        EXPECT_EQ(ExitCode::settings, refusal.code());
        EXPECT_EQ(0u, std::string(refusal.what()).find(name + " is '" + value + "': expected "));
    }
}

INSTANTIATE_TEST_SUITE_P(All, MalformedSetting,
                         testing::Values(std::pair("KAWUXING_ADDRESS", "no-port"),
                                         std::pair("KAWUXING_ADDRESS", "host:0"),
                                         std::pair("KAWUXING_ADDRESS", "http://host:7700"),
                                         std::pair("KAWUXING_CAPACITY", "65"), std::pair("KAWUXING_CAPACITY", "1e1"),
                                         std::pair("KAWUXING_MATCHES", "-1")));

}  // namespace
}  // namespace kawuxing::bot
