#include "sight.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace kawuxing::bot {
namespace {

constexpr int tiles_of_a_pung = 3;
constexpr int each_further_copy = 3;
// What a tile at distance one and two in the same suit is worth.
constexpr std::array neighbours{2, 1};
// More than any tile can be useful.
constexpr int of_a_suit_to_keep = 100;
constexpr std::size_t suits = slots / 10;

}  // namespace

Sight::Sight(const v1::RuleSet& rules, const v1::Observation& observation)
    : rules_(rules), concealed_(count(observation.concealed())), seen_(concealed_) {
    for (int seat = 0; seat < observation.seats_size(); ++seat) {
        const v1::SeatView& view = observation.seats(seat);
        const bool own = seat == static_cast<int>(observation.seat());
        add(seen_, view.discards());
        for (const v1::Meld& meld : view.melds()) {
            const int copies = meld.type() == v1::MELD_TYPE_PUNG ? tiles_of_a_pung : copies_of_a_kind;
            add(seen_, std::vector<Tile>(static_cast<std::size_t>(copies), meld.tile()));
            if (own) {
                melds_.push_back(meld.tile());
            }
        }
        if (!own) {
            add(seen_, view.shown());
            awaited_.insert(view.waits().begin(), view.waits().end());
        }
    }
    suits_to_keep_ = largest_suits();
}

int Sight::winners_after(Tile discard) const {
    Counts hand = concealed_;
    --hand.at(static_cast<std::size_t>(discard));
    int winners = 0;
    for (const Tile kind : rules_.kinds()) {
        const auto slot = static_cast<std::size_t>(kind);
        ++hand.at(slot);
        if (seen_[slot] < copies_of_a_kind && is_complete(hand, melds_, rules_)) {
            winners += copies_of_a_kind - seen_[slot];
        }
        --hand[slot];
    }
    return winners;
}

int Sight::usefulness(Tile tile) const {
    const auto copies = [this](Tile kind) { return concealed_.at(static_cast<std::size_t>(kind)); };
    int worth = each_further_copy * (copies(tile) - 1);
    if (suits_to_keep_.contains(suit_of(tile))) {
        worth += of_a_suit_to_keep;
    }
    if (tile > suited) {
        return worth;
    }
    for (const int step : {-2, -1, 1, 2}) {
        const Tile other = tile + step;
        if (other > 0 && suit_of(other) == suit_of(tile) && copies(other) > 0) {
            worth += neighbours[static_cast<std::size_t>(std::abs(step) - 1)];
        }
    }
    return worth;
}

std::set<std::size_t> Sight::largest_suits() const {
    std::array<int, suits> sizes{};
    for (std::size_t tile = 0; tile < slots; ++tile) {
        sizes[suit_of(static_cast<Tile>(tile))] += concealed_[tile];
    }
    for (const Tile tile : melds_) {
        sizes.at(suit_of(tile)) += tiles_of_a_pung;
    }
    std::array<std::size_t, suits> order{};
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&sizes](std::size_t suit) { return sizes[suit]; });
    const auto limit = rules_.max_suits() > 0 ? std::min<std::size_t>(rules_.max_suits(), suits) : suits;
    return {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(limit)};
}

}  // namespace kawuxing::bot
