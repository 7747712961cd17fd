#include "strategy.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "sight.hpp"

namespace kawuxing::bot {
namespace {

// Pairs beside the tile offered from which a hand collects pungs.
constexpr int mostly_pairs = 2;

template <typename Wanted>
std::optional<int> first(const Actions& legal, Wanted wanted) {
    const auto found = std::ranges::find_if(legal, wanted);
    if (found == legal.end()) {
        return std::nullopt;
    }
    return static_cast<int>(found - legal.begin());
}

bool is_win(const v1::Action& action) {
    return action.type() == v1::ACTION_TYPE_WIN;
}

bool is_kong(const v1::Action& action) {
    return action.type() == v1::ACTION_TYPE_CONCEALED_KONG || action.type() == v1::ACTION_TYPE_ADDED_KONG ||
           action.type() == v1::ACTION_TYPE_DIRECT_KONG;
}

bool is_pass(const v1::Action& action) {
    return action.type() == v1::ACTION_TYPE_PASS;
}

bool is_wanted_pung(const v1::Observation& observation, const v1::Action& action) {
    if (action.type() != v1::ACTION_TYPE_PUNG) {
        return false;
    }
    Counts others = count(observation.concealed());
    others.at(static_cast<std::size_t>(action.tile())) = 0;
    const auto pairs = std::ranges::count_if(others, [](int copies) { return copies >= 2; });
    return pairs >= (action.tile() > suited ? 1 : mostly_pairs);
}

// What a discard is worth, what counts most first: whether no revealed rival waits on it, the tiles unseen that complete
// the hand after it, whether it reveals just if the hand can still be won, and how useless the tile is.
using Value = std::tuple<bool, int, bool, int>;

Value value_of(const Sight& sight, const v1::Action& action) {
    const int winners = sight.winners_after(action.tile());
    const bool reveals = action.type() == v1::ACTION_TYPE_REVEAL;
    return {!sight.is_awaited(action.tile()), winners, reveals == (winners > 0), -sight.usefulness(action.tile())};
}

// Returns the best discard, revealed or not; of equals the first.
int best_discard(const Sight& sight, const Actions& legal) {
    std::vector<Value> values;
    for (const v1::Action& action : legal) {
        values.push_back(value_of(sight, action));
    }
    return static_cast<int>(std::ranges::max_element(values) - values.begin());
}

}  // namespace

int choose(const v1::RuleSet& rules, const v1::Observation& observation, const Actions& legal) {
    if (const auto win = first(legal, is_win)) {
        return *win;
    }
    if (const auto kong = first(legal, is_kong)) {
        return *kong;
    }
    if (const auto pung = first(legal, [&](const auto& action) { return is_wanted_pung(observation, action); })) {
        return *pung;
    }
    if (const auto pass = first(legal, is_pass)) {
        return *pass;
    }
    return best_discard(Sight(rules, observation), legal);
}

}  // namespace kawuxing::bot
