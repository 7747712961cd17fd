package kawuxing.bot;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import kawuxing.v1.Action;
import kawuxing.v1.ActionType;
import kawuxing.v1.Observation;
import kawuxing.v1.RuleSet;

/**
 * What the bot plays: a pure function of one question.
 *
 * <p>It wins when it can and takes every kong. It pungs dragons and, with a hand of pairs, any tile. It reveals as soon
 * as it is ready, on the most tiles unseen. Else it discards the least useful tile that no revealed rival waits on.
 */
final class Strategy {
    /** Pairs beside the tile offered from which a hand collects pungs. */
    private static final int MOSTLY_PAIRS = 2;

    private static final Set<ActionType> KONGS = Set.of(
            ActionType.ACTION_TYPE_CONCEALED_KONG,
            ActionType.ACTION_TYPE_ADDED_KONG,
            ActionType.ACTION_TYPE_DIRECT_KONG);

    private Strategy() {}

    /** Returns the index of the action to play. */
    static int choose(RuleSet rules, Observation observation, List<Action> legal) {
        OptionalInt claim = first(legal, action -> action.getType() == ActionType.ACTION_TYPE_WIN);
        if (claim.isEmpty()) {
            claim = first(legal, action -> KONGS.contains(action.getType()));
        }
        if (claim.isEmpty()) {
            claim = first(legal, action -> isPungWanted(observation, action));
        }
        if (claim.isEmpty()) {
            claim = first(legal, action -> action.getType() == ActionType.ACTION_TYPE_PASS);
        }
        return claim.orElseGet(() -> bestDiscard(new Sight(rules, observation), legal));
    }

    private static OptionalInt first(List<Action> legal, Predicate<Action> wanted) {
        return IntStream.range(0, legal.size())
                .filter(index -> wanted.test(legal.get(index)))
                .findFirst();
    }

    private static boolean isPungWanted(Observation observation, Action action) {
        if (action.getType() != ActionType.ACTION_TYPE_PUNG) {
            return false;
        }
        int tile = action.getTileValue();
        int[] concealed = Tiles.count(observation.getConcealedValueList());
        long otherPairs = IntStream.range(0, concealed.length)
                .filter(kind -> kind != tile && concealed[kind] >= 2)
                .count();
        return otherPairs >= (tile > Tiles.SUITED ? 1 : MOSTLY_PAIRS);
    }

    /** Returns the best discard, revealed or not; of equals the first. */
    private static int bestDiscard(Sight sight, List<Action> legal) {
        List<Value> values = legal.stream().map(action -> Value.of(sight, action)).toList();
        return values.indexOf(values.stream().max(Value.ORDER).orElseThrow());
    }

    /**
     * What a discard is worth.
     *
     * @param safe whether no revealed rival waits on it
     * @param winners the tiles unseen that complete the hand after it
     * @param reveals whether it reveals just if the hand can still be won
     * @param usefulness what is lost with the tile
     */
    private record Value(boolean safe, int winners, boolean reveals, int usefulness) {
        /** What counts most first; the better is the greater. */
        static final Comparator<Value> ORDER = comparing(Value::safe)
                .thenComparingInt(Value::winners)
                .thenComparing(Value::reveals)
                .thenComparing(comparingInt(Value::usefulness).reversed());

        static Value of(Sight sight, Action action) {
            int tile = action.getTileValue();
            int winners = sight.winnersAfter(tile);
            boolean reveal = action.getType() == ActionType.ACTION_TYPE_REVEAL;
            return new Value(!sight.isAwaited(tile), winners, reveal == winners > 0, sight.usefulness(tile));
        }
    }
}
