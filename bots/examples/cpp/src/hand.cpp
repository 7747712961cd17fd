#include "hand.hpp"

#include <algorithm>
#include <set>

namespace kawuxing::bot {
namespace {

// Returns whether all tiles can be split into pungs and sequences.
bool is_sets(Counts counts) {
    for (std::size_t lowest = 0; lowest < slots; ++lowest) {
        // Three sequences from one tile are three pungs as well, so a pung never has to be put back.
        const int sequences = counts[lowest] % 3;
        if (sequences == 0) {
            continue;
        }
        if (lowest > suited || counts[lowest + 1] < sequences || counts[lowest + 2] < sequences) {
            return false;
        }
        counts[lowest + 1] -= sequences;
        counts[lowest + 2] -= sequences;
    }
    return true;
}

std::size_t suits_in(const Counts& concealed, const std::vector<Tile>& melds) {
    std::set<std::size_t> suits;
    for (const Tile tile : melds) {
        suits.insert(suit_of(tile));
    }
    for (std::size_t tile = 0; tile < slots; ++tile) {
        if (concealed[tile] > 0) {
            suits.insert(suit_of(static_cast<Tile>(tile)));
        }
    }
    return suits.size();
}

}  // namespace

bool is_complete(const Counts& concealed, const std::vector<Tile>& melds, const v1::RuleSet& rules) {
    if (rules.max_suits() > 0 && suits_in(concealed, melds) > rules.max_suits()) {
        return false;
    }
    if (rules.seven_pairs() && melds.empty() &&
        std::ranges::all_of(concealed, [](int copies) { return copies % 2 == 0; })) {
        return true;
    }
    Counts rest = concealed;
    return std::ranges::any_of(rest, [&rest](int& copies) {
        if (copies < 2) {
            return false;
        }
        copies -= 2;
        const bool complete = is_sets(rest);
        copies += 2;
        return complete;
    });
}

}  // namespace kawuxing::bot
