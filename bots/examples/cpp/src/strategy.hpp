// What the bot plays: a pure function of one question.
#pragma once

#include <cstddef>

#include "kawuxing/v1/action.pb.h"
#include "kawuxing/v1/observation.pb.h"
#include "kawuxing/v1/rules.pb.h"

namespace kawuxing::bot {

using Actions = google::protobuf::RepeatedPtrField<v1::Action>;

// Returns the index of the action to play, of at least one that is legal.
//
// It wins when it can and takes every kong. It pungs dragons and, with a hand of pairs, any tile. It reveals as soon as
// it is ready, on the most tiles unseen. Else it discards the least useful tile that no revealed rival waits on.
int choose(const v1::RuleSet& rules, const v1::Observation& observation, const Actions& legal);

}  // namespace kawuxing::bot
