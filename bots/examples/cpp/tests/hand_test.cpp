#include "hand.hpp"

#include <gtest/gtest.h>

namespace kawuxing::bot {
namespace {

using Tiles = std::vector<Tile>;

v1::RuleSet rules() {
    v1::RuleSet rules;
    rules.set_seven_pairs(true);
    return rules;
}

TEST(CompleteHand, IsFourSetsAndAPair) {
    EXPECT_TRUE(is_complete(count(Tiles{11, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15, 18, 18}), {}, rules()));
    EXPECT_FALSE(is_complete(count(Tiles{11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15, 18, 18, 19}), {}, rules()));
}

TEST(CompleteHand, CountsMeldsAsSets) {
    EXPECT_TRUE(is_complete(count(Tiles{37, 37}), {11, 12, 22, 35}, rules()));
}

TEST(CompleteHand, HasNoSequenceFromSuitToSuitOrOfDragons) {
    EXPECT_FALSE(is_complete(count(Tiles{18, 19, 21, 22, 22}), {11, 12, 13}, rules()));
    EXPECT_FALSE(is_complete(count(Tiles{35, 36, 37, 22, 22}), {11, 12, 13}, rules()));
}

TEST(CompleteHand, IsSevenPairsIfTheRulesHaveThemAndNothingIsMelded) {
    const Tiles pairs{11, 11, 13, 13, 15, 15, 15, 15, 22, 22, 24, 24, 37, 37};

    EXPECT_TRUE(is_complete(count(pairs), {}, rules()));
    EXPECT_FALSE(is_complete(count(pairs), {}, v1::RuleSet()));
    EXPECT_FALSE(is_complete(count(Tiles{11, 11, 13, 13}), {21, 22, 23}, rules()));
}

TEST(CompleteHand, HasNoMoreSuitsThanTheRulesAllow) {
    v1::RuleSet two_suits = rules();
    two_suits.set_max_suits(2);

    EXPECT_TRUE(is_complete(count(Tiles{1, 1}), {11, 12, 13, 14}, two_suits));
    EXPECT_FALSE(is_complete(count(Tiles{1, 1}), {11, 12, 13, 24}, two_suits));
}

}  // namespace
}  // namespace kawuxing::bot
