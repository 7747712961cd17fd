// Tiles and complete hands (RULES §1, §3).
#pragma once

#include <array>
#include <vector>

#include "kawuxing/v1/rules.pb.h"

namespace kawuxing::bot {

// A tile by its number in the protocol: its suit times ten plus its rank.
using Tile = int;

constexpr int copies_of_a_kind = 4;
// The dragons are above this; they form no sequence.
constexpr Tile suited = 30;
// Room for every kind and, above each, two that are never held.
constexpr std::size_t slots = 40;

// How many tiles there are of each kind.
using Counts = std::array<int, slots>;

constexpr std::size_t suit_of(Tile tile) {
    return static_cast<std::size_t>(tile) / 10;
}

template <typename Tiles>
void add(Counts& counts, const Tiles& tiles) {
    for (const Tile tile : tiles) {
        ++counts.at(static_cast<std::size_t>(tile));
    }
}

template <typename Tiles>
Counts count(const Tiles& tiles) {
    Counts counts{};
    add(counts, tiles);
    return counts;
}

// Returns whether the concealed tiles complete a hand beside the melds of these kinds.
bool is_complete(const Counts& concealed, const std::vector<Tile>& melds, const v1::RuleSet& rules);

}  // namespace kawuxing::bot
