package kawuxing.bot;

import java.util.concurrent.ThreadLocalRandom;

/** Pauses that double from 0.1 s to 5 s, each taken at random from its upper half, so that bots do not return in step. */
final class Backoff {
    private static final long FIRST_MILLIS = 100;
    private static final long LONGEST_MILLIS = 5_000;

    private long next = FIRST_MILLIS;

    /** Begins again with the shortest pause, after a success. */
    void reset() {
        next = FIRST_MILLIS;
    }

    /** Waits. */
    void pause() throws InterruptedException {
        long pause = ThreadLocalRandom.current().nextLong(next / 2, next);
        next = Math.min(2 * next, LONGEST_MILLIS);
        Thread.sleep(pause);
    }
}
