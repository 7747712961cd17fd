package kawuxing.bot;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import kawuxing.v1.Assignment;
import kawuxing.v1.Goodbye;
import kawuxing.v1.GoodbyeReason;
import kawuxing.v1.JoinRequest;
import kawuxing.v1.JoinResponse;
import kawuxing.v1.LobbyServiceGrpc;

/**
 * The bot's stay in the lobby: it joins, plays what it is assigned, each match in a thread of its own, and joins again
 * whenever the connection is lost.
 */
final class LobbyClient implements AutoCloseable {
    private static final int PROTOCOL_VERSION = 1;
    private static final String CLIENT = "kawuxing-java/1.0.0";
    /** The server cuts off who pings more often than every 10 s. */
    private static final long KEEPALIVE_SECONDS = 20;

    private static final long KEEPALIVE_TIMEOUT_SECONDS = 10;
    /** For the last messages of matches that are just ending, after the lobby said that all is over. */
    private static final Duration LAST_MESSAGES = Duration.ofSeconds(5);

    private final Settings settings;
    private final Map<String, ManagedChannel> channels = new HashMap<>();
    private final Map<String, Thread> playing = new HashMap<>();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private int begun;
    private int ended;

    LobbyClient(Settings settings) {
        this.settings = settings;
    }

    /**
     * Plays until the tournament is over, the bot is withdrawn, it has played as many matches as it was to, or it is
     * closed. Throws a Refusal if the arena refuses the bot.
     */
    void run() throws InterruptedException, Refusal {
        start("lobby", this::stay);
        try {
            over.get();
        } catch (ExecutionException error) {
            if (error.getCause() instanceof Refusal refusal) {
                throw refusal;
            }
            throw new IllegalStateException(error.getCause());
        } finally {
            close();
        }
    }

    /** Ends everything at once. */
    @Override
    public synchronized void close() {
        over.complete(null);
        playing.values().forEach(Thread::interrupt);
        channels.values().forEach(ManagedChannel::shutdownNow);
    }

    private interface Work {
        void run() throws InterruptedException, Refusal;
    }

    /** Starts a thread; what goes wrong in it ends the whole stay. */
    private Thread start(String name, Work work) {
        var thread = new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException interrupted) {
                // This thread was told to leave, and does.
            } catch (Refusal | RuntimeException error) {
                over.completeExceptionally(error);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Joins, and joins again, until the lobby says goodbye for good. */
    private void stay() throws InterruptedException, Refusal {
        var backoff = new Backoff();
        var outage = new Outage(settings.address());
        ManagedChannel channel = channel(settings.address());
        while (!over.isDone()) {
            try {
                if (listen(channel, backoff, outage)) {
                    break;
                }
            } catch (StatusException error) {
                if (over.isDone() || isFinal(error.getStatus())) {
                    break;
                }
                outage.tell(error.getStatus());
            }
            backoff.pause();
            channel.resetConnectBackoff();
        }
        awaitLastMessages();
        over.complete(null);
    }

    /** Does as the lobby says until its stream ends, and returns whether all is over. */
    private boolean listen(ManagedChannel channel, Backoff backoff, Outage outage)
            throws InterruptedException, StatusException {
        var call = LobbyServiceGrpc.newBlockingV2Stub(channel).join(joinRequest());
        try {
            for (JoinResponse message = call.read(); message != null; message = call.read()) {
                switch (message.getResponseCase()) {
                    case WELCOME -> {
                        backoff.reset();
                        outage.over();
                    }
                    case ASSIGNMENT -> sitDown(message.getAssignment());
                    case CANCELLED -> leave(message.getCancelled().getMatchId());
                    case GOODBYE -> {
                        return isFinal(message.getGoodbye());
                    }
                    default -> {
                        // Unknown to this version.
                    }
                }
            }
            return false;
        } finally {
            call.cancel("left the lobby", null);
        }
    }

    private JoinRequest joinRequest() {
        return JoinRequest.newBuilder()
                .setToken(settings.token())
                .setCapacity(settings.capacity())
                .setProtocolVersion(PROTOCOL_VERSION)
                .setClient(CLIENT)
                .build();
    }

    private static boolean isFinal(Goodbye goodbye) {
        if (goodbye.getReason() == GoodbyeReason.GOODBYE_REASON_WITHDRAWN) {
            System.err.println("the bot was withdrawn from the tournament: " + goodbye.getMessage());
            return true;
        }
        return goodbye.getReason() == GoodbyeReason.GOODBYE_REASON_FINISHED;
    }

    /** Returns whether a failed Join means that all is over. Throws a Refusal if joining again is of no use. */
    private boolean isFinal(Status status) throws Refusal {
        String address = settings.address();
        String details = status.getDescription();
        switch (status.getCode()) {
            case PERMISSION_DENIED -> {
                System.err.println("the bot was withdrawn from the tournament: " + details);
                return true;
            }
            case UNAUTHENTICATED, INVALID_ARGUMENT -> throw new Refusal(
                    Refusal.SETTINGS, "the arena at %s refuses this bot: %s".formatted(address, details));
            case UNIMPLEMENTED -> throw new Refusal(
                    Refusal.SETTINGS, "what answers at %s is no Kawuxing arena: %s".formatted(address, details));
            case FAILED_PRECONDITION -> throw new Refusal(
                    Refusal.INCOMPATIBLE, "the arena at %s is of another age: %s".formatted(address, details));
            default -> {
                return false;
            }
        }
    }

    private synchronized void sitDown(Assignment assignment) {
        String match = assignment.getMatchId();
        if (playing.containsKey(match) || (settings.matches().isPresent() && begun == settings.matches().getAsInt())) {
            return;
        }
        begun++;
        String address = assignment.getAddress().isEmpty() ? settings.address() : assignment.getAddress();
        var table = new TableClient(channel(address), assignment.getTicket());
        playing.put(match, start("match " + match, () -> play(match, table)));
    }

    private void play(String match, TableClient table) throws InterruptedException, Refusal {
        try {
            table.play();
        } finally {
            rise(match, table.satDown());
        }
    }

    /** Forgets a match, and counts it unless it was over before it began for this client. */
    private synchronized void rise(String match, boolean satDown) {
        playing.remove(match);
        if (!satDown) {
            begun--;
            return;
        }
        ended++;
        if (settings.matches().isPresent() && ended == settings.matches().getAsInt()) {
            over.complete(null);
        }
    }

    private synchronized void leave(String match) {
        if (playing.containsKey(match)) {
            playing.get(match).interrupt();
        }
    }

    private void awaitLastMessages() throws InterruptedException {
        List<Thread> last;
        synchronized (this) {
            last = List.copyOf(playing.values());
        }
        long deadline = System.nanoTime() + LAST_MESSAGES.toNanos();
        for (Thread thread : last) {
            // Zero would wait for ever.
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
    }

    private synchronized ManagedChannel channel(String address) {
        return channels.computeIfAbsent(
                address,
                target -> Grpc.newChannelBuilder(target, InsecureChannelCredentials.create())
                        .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS)
                        .keepAliveTimeout(KEEPALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                        .keepAliveWithoutCalls(true)
                        .disableRetry()
                        .build());
    }

    /** Tells once that the arena cannot be reached. */
    private static final class Outage {
        private final String address;
        private boolean told;

        Outage(String address) {
            this.address = address;
        }

        void tell(Status status) {
            if (!told) {
                System.err.printf(
                        "no lobby at %s, trying again and again: %s (%s)%n",
                        address, status.getDescription(), status.getCode());
                told = true;
            }
        }

        void over() {
            told = false;
        }
    }
}
