// One match over TableService.Play, through any number of lost connections.
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "backoff.hpp"
#include "kawuxing/v1/table_service.grpc.pb.h"

namespace kawuxing::bot {

// Plays one entrant's part of one match.
class Table {
public:
    Table(const std::shared_ptr<grpc::Channel>& channel, std::string ticket);

    // Plays until the match is over for this client, or a stop is requested. Throws a Refusal if the two do not
    // understand each other.
    void play(const std::stop_token& stop);

    // Returns whether the match has begun for this client.
    bool sat_down() const { return rules_.has_value(); }

private:
    using Stream = grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>;

    // Talks on one stream until it ends, and returns its status, or nothing if the match has ended too.
    std::optional<grpc::Status> converse(const std::stop_token& stop);

    // Reads and answers until the stream ends, and returns whether the match has ended too.
    bool exchange(Stream& stream);

    void sit_down(const v1::MatchStart& start);
    v1::PlayRequest answer(const v1::DecisionRequest& request) const;

    std::unique_ptr<v1::TableService::Stub> stub_;
    std::string ticket_;
    std::optional<v1::RuleSet> rules_;
    // Whether the match has begun, or gone on, on the last stream.
    bool in_touch_ = false;
    Backoff backoff_;
};

}  // namespace kawuxing::bot
