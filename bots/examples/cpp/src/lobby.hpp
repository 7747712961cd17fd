// The bot's stay in the lobby: it joins, plays what it is assigned, each match in a thread of its own, and joins again
// whenever the connection is lost.
#pragma once

#include <grpcpp/channel.h>

#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "kawuxing/v1/lobby_service.grpc.pb.h"
#include "settings.hpp"
#include "table.hpp"

namespace kawuxing::bot {

class Lobby {
public:
    explicit Lobby(Settings settings) : settings_(std::move(settings)) {}

    // Plays until the tournament is over, the bot is withdrawn, it has played as many matches as it was to, or it is
    // closed. Throws a Refusal if the arena refuses the bot.
    void run();

    // Ends everything at once. May be called from any thread.
    void close() { stop_.request_stop(); }

private:
    struct Match {
        std::jthread thread;
        bool over = false;
    };

    // Joins, and joins again, until the lobby says goodbye for good.
    void stay();
    // Does as the lobby says until its stream ends, and returns its status, or nothing if all is over.
    std::optional<grpc::Status> listen(v1::LobbyService::Stub& stub);
    // Does as one message says, and returns whether all is over.
    bool obey(const v1::JoinResponse& message);
    bool is_final(const v1::Goodbye& goodbye) const;
    // Returns whether a failed Join means that all is over. Throws a Refusal if joining again is of no use.
    bool is_final(const grpc::Status& status) const;

    void sit_down(const v1::Assignment& assignment);
    void leave(const std::string& match_id);
    void play(const std::stop_token& stop, const std::string& match_id, Table& table);
    // Forgets a match, and counts it unless it was over before it began for this client.
    void rise(const std::string& match_id, bool sat_down);
    void await_last_messages();
    void end_matches();
    std::shared_ptr<grpc::Channel> channel(const std::string& address);

    const Settings settings_;
    Backoff backoff_;
    bool told_outage_ = false;
    std::stop_source stop_;

    std::mutex mutex_;  // of all that follows
    std::condition_variable_any match_over_;
    std::map<std::string, Match> matches_;
    std::map<std::string, std::shared_ptr<grpc::Channel>> channels_;
    unsigned begun_ = 0;
    unsigned ended_ = 0;
    std::exception_ptr failure_;
};

}  // namespace kawuxing::bot
