package kawuxing.bot;

import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.time.Duration;
import java.util.Set;
import kawuxing.v1.Decision;
import kawuxing.v1.DecisionRequest;
import kawuxing.v1.Hello;
import kawuxing.v1.MatchStart;
import kawuxing.v1.ObservationMode;
import kawuxing.v1.PlayRequest;
import kawuxing.v1.PlayResponse;
import kawuxing.v1.RuleSet;
import kawuxing.v1.TableServiceGrpc;

/** Plays one entrant's part of one match over TableService.Play, through any number of lost connections. */
final class TableClient {
    /** How long a table may be out of reach; if the match still lives then, the lobby assigns it again. */
    private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(2);

    /** The match is over, another client has this seat, or the bot was withdrawn: coming back is of no use. */
    private static final Set<Code> OVER = Set.of(Code.NOT_FOUND, Code.ABORTED, Code.PERMISSION_DENIED);

    private final ManagedChannel channel;
    private final String ticket;
    private final Backoff backoff = new Backoff();
    private RuleSet rules;
    /** Whether the match has begun, or gone on, on the last stream. */
    private boolean inTouch;

    TableClient(ManagedChannel channel, String ticket) {
        this.channel = channel;
        this.ticket = ticket;
    }

    /** Returns whether the match has begun for this client. */
    boolean satDown() {
        return rules != null;
    }

    /** Plays until the match is over for this client, or its thread is interrupted. */
    void play() throws InterruptedException, Refusal {
        long reached = System.nanoTime();
        while (System.nanoTime() - reached < GIVE_UP_AFTER.toNanos()) {
            try {
                if (converse()) {
                    return;
                }
                reached = System.nanoTime();
            } catch (StatusException error) {
                Code code = error.getStatus().getCode();
                if (OVER.contains(code)) {
                    return;
                }
                if (inTouch || code != Code.UNAVAILABLE) {
                    reached = System.nanoTime();
                }
            }
            backoff.pause();
            // The channel's own pauses grow to two minutes; a clock runs meanwhile.
            channel.resetConnectBackoff();
        }
    }

    /** Talks on one stream until it ends, and returns whether the match has ended too. */
    private boolean converse() throws InterruptedException, StatusException, Refusal {
        inTouch = false;
        var call = TableServiceGrpc.newBlockingV2Stub(channel).play();
        try {
            call.write(PlayRequest.newBuilder().setHello(hello()).build());
            for (PlayResponse message = call.read(); message != null; message = call.read()) {
                switch (message.getResponseCase()) {
                    case MATCH_START -> sitDown(message.getMatchStart());
                    case DECISION_REQUEST -> answer(call, message.getDecisionRequest());
                    case MATCH_END, MATCH_VOIDED -> {
                        return true;
                    }
                    default -> {
                        // A hand's end and the state after coming back are nothing to a bot without memory.
                    }
                }
            }
            return false;
        } finally {
            call.cancel("left the table", null);
        }
    }

    private void sitDown(MatchStart start) throws Refusal {
        if (!Tiles.areKnown(start.getRules().getKindsValueList())) {
            throw new Refusal(Refusal.INCOMPATIBLE, "the rules have tiles that this version does not know");
        }
        rules = start.getRules();
        inTouch = true;
        backoff.reset();
    }

    private Hello hello() {
        return Hello.newBuilder()
                .setTicket(ticket)
                .setObservationMode(ObservationMode.OBSERVATION_MODE_SNAPSHOT)
                .build();
    }

    private void answer(BlockingClientCall<PlayRequest, PlayResponse> call, DecisionRequest request)
            throws InterruptedException, StatusException, Refusal {
        if (rules == null || !request.hasObservation()) {
            throw new Refusal(
                    Refusal.INCOMPATIBLE, "the table asks without telling the rules and what there is to see");
        }
        int choice = Strategy.choose(rules, request.getObservation(), request.getLegalActionsList());
        var decision = Decision.newBuilder().setDecisionId(request.getDecisionId()).setChoice(choice);
        call.write(PlayRequest.newBuilder().setDecision(decision).build());
    }
}
