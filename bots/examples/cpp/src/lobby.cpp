#include "lobby.hpp"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <utility>

namespace kawuxing::bot {
namespace {

constexpr unsigned protocol_version = 1;
constexpr const char* client = "kawuxing-cpp/1.0.0";
// For the last messages of matches that are just ending, after the lobby said that all is over.
constexpr std::chrono::seconds last_messages{5};

grpc::ChannelArguments channel_arguments() {
    grpc::ChannelArguments arguments;
    // The server cuts off who pings more often than every 10 s.
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    // By default the pauses between attempts to connect grow to two minutes; a clock runs meanwhile.
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
    // In spite of its name the time that one attempt may take: enough for an arena that is far away or busy.
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5'000);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    // A proxy from the environment is meant for the web.
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    return arguments;
}

}  // namespace

void Lobby::run() {
    try {
        stay();
    } catch (...) {
        end_matches();
        throw;
    }
    end_matches();
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void Lobby::stay() {
    const auto stub = v1::LobbyService::NewStub(channel(settings_.address));
    while (!stop_.stop_requested()) {
        const auto status = listen(*stub);
        if (stop_.stop_requested()) {
            return;
        }
        if (!status || is_final(*status)) {
            await_last_messages();
            return;
        }
        if (!status->ok() && !std::exchange(told_outage_, true)) {
            std::cerr << "no lobby at " << settings_.address << ", trying again and again: " << status->error_message()
                      << std::endl;
        }
        backoff_.pause(stop_.get_token());
    }
}

std::optional<grpc::Status> Lobby::listen(v1::LobbyService::Stub& stub) {
    v1::JoinRequest request;
    request.set_token(settings_.token);
    request.set_capacity(settings_.capacity);
    request.set_protocol_version(protocol_version);
    request.set_client(client);
    grpc::ClientContext context;
    const auto stream = stub.Join(&context, request);
    const std::stop_callback cancel(stop_.get_token(), [&context] { context.TryCancel(); });
    bool over = false;
    v1::JoinResponse message;
    while (!over && stream->Read(&message)) {
        over = obey(message);
    }
    if (over) {
        context.TryCancel();
    }
    const grpc::Status status = stream->Finish();
    return over ? std::nullopt : std::optional(status);
}

bool Lobby::obey(const v1::JoinResponse& message) {
    switch (message.response_case()) {
        case v1::JoinResponse::kWelcome:
            backoff_.reset();
            told_outage_ = false;
            return false;
        case v1::JoinResponse::kAssignment:
            sit_down(message.assignment());
            return false;
        case v1::JoinResponse::kCancelled:
            leave(message.cancelled().match_id());
            return false;
        case v1::JoinResponse::kGoodbye:
            return is_final(message.goodbye());
        default:
            // Unknown to this version.
            return false;
    }
}

bool Lobby::is_final(const v1::Goodbye& goodbye) const {
    if (goodbye.reason() == v1::GOODBYE_REASON_WITHDRAWN) {
        std::cerr << "the bot was withdrawn from the tournament: " << goodbye.message() << std::endl;
        return true;
    }
    return goodbye.reason() == v1::GOODBYE_REASON_FINISHED;
}

bool Lobby::is_final(const grpc::Status& status) const {
    const std::string& address = settings_.address;
    switch (status.error_code()) {
        case grpc::PERMISSION_DENIED:
            std::cerr << "the bot was withdrawn from the tournament: " << status.error_message() << std::endl;
            return true;
        case grpc::UNAUTHENTICATED:
        case grpc::INVALID_ARGUMENT:
            throw Refusal(ExitCode::settings,
                          "the arena at " + address + " refuses this bot: " + status.error_message());
        case grpc::UNIMPLEMENTED:
            throw Refusal(ExitCode::settings,
                          "what answers at " + address + " is no Kawuxing arena: " + status.error_message());
        case grpc::FAILED_PRECONDITION:
            throw Refusal(ExitCode::incompatible,
                          "the arena at " + address + " is of another age: " + status.error_message());
        default:
            return false;
    }
}

void Lobby::sit_down(const v1::Assignment& assignment) {
    const std::string& match_id = assignment.match_id();
    const auto table_channel = channel(assignment.address().empty() ? settings_.address : assignment.address());
    const std::lock_guard lock(mutex_);
    // The threads of matches that are over have nothing left to do, so joining them takes no time.
    std::erase_if(matches_, [](const auto& entry) { return entry.second.over; });
    if (matches_.contains(match_id) || begun_ == settings_.matches) {
        return;
    }
    ++begun_;
    const auto table = std::make_shared<Table>(table_channel, assignment.ticket());
    matches_[match_id].thread =
        std::jthread([this, match_id, table](const std::stop_token& stop) { play(stop, match_id, *table); });
}

void Lobby::leave(const std::string& match_id) {
    const std::lock_guard lock(mutex_);
    if (const auto match = matches_.find(match_id); match != matches_.end()) {
        match->second.thread.request_stop();
    }
}

void Lobby::play(const std::stop_token& stop, const std::string& match_id, Table& table) {
    try {
        table.play(stop);
    } catch (...) {
        // What goes wrong at one table ends the whole stay.
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        stop_.request_stop();
    }
    rise(match_id, table.sat_down());
}

void Lobby::rise(const std::string& match_id, bool sat_down) {
    const std::lock_guard lock(mutex_);
    if (!sat_down) {
        --begun_;
    } else if (++ended_ == settings_.matches) {
        stop_.request_stop();
    }
    if (const auto match = matches_.find(match_id); match != matches_.end()) {
        match->second.over = true;
    }
    match_over_.notify_all();
}

void Lobby::await_last_messages() {
    std::unique_lock lock(mutex_);
    match_over_.wait_for(lock, stop_.get_token(), last_messages, [this] {
        return std::ranges::all_of(matches_, [](const auto& entry) { return entry.second.over; });
    });
}

void Lobby::end_matches() {
    std::map<std::string, Match> last;
    {
        const std::lock_guard lock(mutex_);
        last.swap(matches_);
    }
    for (auto& [match_id, match] : last) {
        match.thread.request_stop();
    }
}

std::shared_ptr<grpc::Channel> Lobby::channel(const std::string& address) {
    const std::lock_guard lock(mutex_);
    auto& channel = channels_[address];
    if (!channel) {
        channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), channel_arguments());
    }
    return channel;
}

}  // namespace kawuxing::bot
