// What the bot sees, counted once for all discards.
#pragma once

#include <set>
#include <vector>

#include "hand.hpp"
#include "kawuxing/v1/observation.pb.h"

namespace kawuxing::bot {

class Sight {
public:
    // Keeps the rules by reference.
    Sight(const v1::RuleSet& rules, const v1::Observation& observation);

    // Returns whether a revealed rival waits on the tile.
    bool is_awaited(Tile tile) const { return awaited_.contains(tile); }

    // Returns how many tiles nobody has shown yet complete the hand after this discard.
    int winners_after(Tile discard) const;

    // Returns what a tile is worth to the sets and pairs of this hand.
    int usefulness(Tile tile) const;

private:
    // Returns as many suits as a complete hand may have, those with the most tiles; of equals the lower.
    std::set<std::size_t> largest_suits() const;

    const v1::RuleSet& rules_;
    Counts concealed_{};
    std::vector<Tile> melds_;
    Counts seen_{};
    std::set<Tile> awaited_;
    std::set<std::size_t> suits_to_keep_;
};

}  // namespace kawuxing::bot
