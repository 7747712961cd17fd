#include "table.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "hand.hpp"
#include "settings.hpp"
#include "strategy.hpp"

namespace kawuxing::bot {
namespace {

using std::chrono::steady_clock;

// How long a table may be out of reach; if the match still lives then, the lobby assigns it again.
constexpr std::chrono::minutes give_up_after{2};

// Returns whether coming back is of no use: the match is over, another client has this seat, or the bot was withdrawn.
bool is_over(grpc::StatusCode code) {
    return code == grpc::NOT_FOUND || code == grpc::ABORTED || code == grpc::PERMISSION_DENIED;
}

}  // namespace

Table::Table(const std::shared_ptr<grpc::Channel>& channel, std::string ticket)
    : stub_(v1::TableService::NewStub(channel)), ticket_(std::move(ticket)) {}

void Table::play(const std::stop_token& stop) {
    auto reached = steady_clock::now();
    while (!stop.stop_requested() && steady_clock::now() - reached < give_up_after) {
        const auto status = converse(stop);
        if (!status || is_over(status->error_code())) {
            return;
        }
        if (in_touch_ || status->error_code() != grpc::UNAVAILABLE) {
            reached = steady_clock::now();
        }
        backoff_.pause(stop);
    }
}

std::optional<grpc::Status> Table::converse(const std::stop_token& stop) {
    in_touch_ = false;
    grpc::ClientContext context;
    const auto stream = stub_->Play(&context);
    const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
    bool over = false;
    try {
        over = exchange(*stream);
    } catch (...) {
        context.TryCancel();
        stream->Finish();
        throw;
    }
    if (over) {
        context.TryCancel();
    }
    const grpc::Status status = stream->Finish();
    return over ? std::nullopt : std::optional(status);
}

bool Table::exchange(Stream& stream) {
    v1::PlayRequest hello;
    hello.mutable_hello()->set_ticket(ticket_);
    hello.mutable_hello()->set_observation_mode(v1::OBSERVATION_MODE_SNAPSHOT);
    stream.Write(hello);
    v1::PlayResponse message;
    while (stream.Read(&message)) {
        switch (message.response_case()) {
            case v1::PlayResponse::kMatchStart:
                sit_down(message.match_start());
                break;
            case v1::PlayResponse::kDecisionRequest:
                stream.Write(answer(message.decision_request()));
                break;
            case v1::PlayResponse::kMatchEnd:
            case v1::PlayResponse::kMatchVoided:
                return true;
            default:
                // A hand's end and the state after coming back are nothing to a bot without memory.
                break;
        }
    }
    return false;
}

void Table::sit_down(const v1::MatchStart& start) {
    const auto is_known = [](Tile kind) { return kind > 0 && static_cast<std::size_t>(kind) < slots; };
    if (!std::ranges::all_of(start.rules().kinds(), is_known)) {
        throw Refusal(ExitCode::incompatible, "the rules have tiles that this version does not know");
    }
    rules_ = start.rules();
    in_touch_ = true;
    backoff_.reset();
}

v1::PlayRequest Table::answer(const v1::DecisionRequest& request) const {
    if (!rules_ || !request.has_observation()) {
        throw Refusal(ExitCode::incompatible, "the table asks without telling the rules and what there is to see");
    }
    const int choice = choose(*rules_, request.observation(), request.legal_actions());
    v1::PlayRequest answer;
    answer.mutable_decision()->set_decision_id(request.decision_id());
    answer.mutable_decision()->set_choice(static_cast<unsigned>(choice));
    return answer;
}

}  // namespace kawuxing::bot
