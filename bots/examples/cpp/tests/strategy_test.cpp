#include "strategy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace kawuxing::bot {
namespace {

using Tiles = std::vector<int>;

// Without 23 it waits on four tiles, 24 and 29, without 24 on eight, 22 and 25.
const Tiles nearly_ready{11, 12, 13, 14, 15, 16, 17, 18, 19, 23, 24, 24, 29, 29};

v1::RuleSet rules(const std::vector<std::pair<int, int>>& kinds) {
    v1::RuleSet rules;
    for (const auto& [first, last] : kinds) {
        for (int kind = first; kind <= last; ++kind) {
            rules.add_kinds(static_cast<v1::Tile>(kind));
        }
    }
    return rules;
}

// 84 tiles: dots, bamboo, dragons.
v1::RuleSet two_suits_and_dragons() {
    v1::RuleSet two_suits = rules({{11, 19}, {21, 29}, {35, 37}});
    two_suits.set_seven_pairs(true);
    return two_suits;
}

void add_actions(Actions& actions, v1::ActionType type, const Tiles& tiles) {
    int last = -1;
    for (const int tile : tiles) {
        if (tile != std::exchange(last, tile)) {
            v1::Action& action = *actions.Add();
            action.set_type(type);
            action.set_tile(static_cast<v1::Tile>(tile));
        }
    }
}

Actions actions(const std::vector<std::pair<v1::ActionType, Tiles>>& types) {
    Actions actions;
    for (const auto& [type, tiles] : types) {
        add_actions(actions, type, tiles);
    }
    return actions;
}

// Returns what seat 0 of three sees; the others have nothing before them but what seat 1 waits on.
v1::Observation sees(const Tiles& concealed, const Tiles& waits = {}) {
    v1::Observation observation;
    observation.set_seat(0);
    for (const int tile : concealed) {
        observation.add_concealed(static_cast<v1::Tile>(tile));
    }
    for (int seat = 0; seat < 3; ++seat) {
        observation.add_seats();
    }
    for (const int tile : waits) {
        observation.mutable_seats(1)->add_waits(static_cast<v1::Tile>(tile));
    }
    return observation;
}

std::string chosen(const v1::RuleSet& rules, const v1::Observation& observation, const Actions& legal) {
    const v1::Action& action = legal.at(choose(rules, observation, legal));
    const std::string type = v1::ActionType_Name(action.type()).substr(std::string("ACTION_TYPE_").size());
    return type + " " + std::to_string(action.tile());
}

std::string chosen(const v1::Observation& observation, const Actions& legal) {
    return chosen(two_suits_and_dragons(), observation, legal);
}

TEST(Strategy, WinsBeforeEverything) {
    const Actions legal = actions({{v1::ACTION_TYPE_CONCEALED_KONG, {11}},
                                   {v1::ACTION_TYPE_DISCARD, {11}},
                                   {v1::ACTION_TYPE_WIN, {0}}});

    EXPECT_EQ("WIN 0", chosen(sees({11, 11, 11, 11}), legal));
}

TEST(Strategy, KongsBeforeItReveals) {
    const Actions legal = actions({{v1::ACTION_TYPE_REVEAL, {12}}, {v1::ACTION_TYPE_ADDED_KONG, {11}}});

    EXPECT_EQ("ADDED_KONG 11", chosen(sees({11, 12}), legal));
}

TEST(Strategy, RevealsAReadyHandOnTheMostTilesUnseen) {
    const Actions legal = actions({{v1::ACTION_TYPE_DISCARD, nearly_ready}, {v1::ACTION_TYPE_REVEAL, {23, 24}}});

    EXPECT_EQ("REVEAL 24", chosen(sees(nearly_ready), legal));
}

TEST(Strategy, DoesNotDiscardARivalsWaitNotEvenToReveal) {
    const Actions legal = actions({{v1::ACTION_TYPE_DISCARD, nearly_ready}, {v1::ACTION_TYPE_REVEAL, {23, 24}}});

    EXPECT_EQ("REVEAL 23", chosen(sees(nearly_ready, {24}), legal));
}

TEST(Strategy, DiscardsALonelyTileFirst) {
    const Tiles hand{11, 12, 13, 15, 15, 16, 18, 21, 22, 23, 26, 35, 35, 36};

    EXPECT_EQ("DISCARD 26", chosen(sees(hand), actions({{v1::ACTION_TYPE_DISCARD, hand}})));
}

TEST(Strategy, DiscardsTheFirstOfEquallyUsefulTiles) {
    const Tiles hand{11, 11, 13, 14, 15, 17, 18, 21, 22, 23, 24, 35, 36, 37};

    EXPECT_EQ("DISCARD 35", chosen(sees(hand), actions({{v1::ACTION_TYPE_DISCARD, hand}})));
}

TEST(Strategy, DiscardsTheSmallestSuitIfSuitsAreLimited) {
    const Tiles hand{1, 1, 2, 11, 12, 14, 16, 17, 19, 21, 23, 25, 26, 29};
    v1::RuleSet three_suits = rules({{1, 9}, {11, 19}, {21, 29}});
    three_suits.set_max_suits(2);

    EXPECT_EQ("DISCARD 2", chosen(three_suits, sees(hand), actions({{v1::ACTION_TYPE_DISCARD, hand}})));
}

TEST(Strategy, PungsADragonIfThereIsAnotherPair) {
    const Actions legal = actions({{v1::ACTION_TYPE_PUNG, {37}}, {v1::ACTION_TYPE_PASS, {0}}});

    EXPECT_EQ("PUNG 37", chosen(sees({11, 11, 14, 37, 37}), legal));
    EXPECT_EQ("PASS 0", chosen(sees({11, 12, 14, 37, 37}), legal));
}

TEST(Strategy, PungsAnotherTileOnlyInAHandOfPairs) {
    const Actions legal = actions({{v1::ACTION_TYPE_PUNG, {12}}, {v1::ACTION_TYPE_PASS, {0}}});

    EXPECT_EQ("PUNG 12", chosen(sees({12, 12, 14, 14, 16, 16}), legal));
    EXPECT_EQ("PASS 0", chosen(sees({12, 12, 14, 14, 16, 17}), legal));
}

}  // namespace
}  // namespace kawuxing::bot
