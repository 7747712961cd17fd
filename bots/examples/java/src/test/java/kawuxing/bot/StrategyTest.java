package kawuxing.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kawuxing.v1.Action;
import kawuxing.v1.ActionType;
import kawuxing.v1.Observation;
import kawuxing.v1.RuleSet;
import kawuxing.v1.SeatView;
import org.junit.jupiter.api.Test;

class StrategyTest {
    private static final ActionType DISCARD = ActionType.ACTION_TYPE_DISCARD;
    private static final ActionType REVEAL = ActionType.ACTION_TYPE_REVEAL;
    private static final Action PASS = action(ActionType.ACTION_TYPE_PASS, 0);
    /** 84 tiles: dots, bamboo, dragons. */
    private static final RuleSet RULES =
            kinds(11, 19, 21, 29, 35, 37).setSevenPairs(true).build();

    private static final RuleSet THREE_SUITS =
            kinds(1, 9, 11, 19, 21, 29).setMaxSuits(2).build();
    /** Without 23 it waits on four tiles, 24 and 29, without 24 on eight, 22 and 25. */
    private static final int[] NEARLY_READY = {11, 12, 13, 14, 15, 16, 17, 18, 19, 23, 24, 24, 29, 29};

    private static RuleSet.Builder kinds(int... firstAndLast) {
        var rules = RuleSet.newBuilder();
        for (int part = 0; part < firstAndLast.length; part += 2) {
            IntStream.rangeClosed(firstAndLast[part], firstAndLast[part + 1]).forEach(rules::addKindsValue);
        }
        return rules;
    }

    private static Action action(ActionType type, int tile) {
        return Action.newBuilder().setType(type).setTileValue(tile).build();
    }

    private static List<Action> actions(ActionType type, int... tiles) {
        return Arrays.stream(tiles).distinct().mapToObj(tile -> action(type, tile)).toList();
    }

    private static List<Action> both(List<Action> some, List<Action> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /** Returns what seat 0 of three sees; the others have nothing before them but what seat 1 waits on. */
    private static Observation sees(int[] concealed, Integer... waits) {
        var rival = SeatView.newBuilder().setRevealed(waits.length > 0).addAllWaitsValue(List.of(waits));
        var observation = Observation.newBuilder().setSeat(0);
        Arrays.stream(concealed).forEach(observation::addConcealedValue);
        return observation
                .addSeats(SeatView.getDefaultInstance())
                .addSeats(rival)
                .addSeats(SeatView.getDefaultInstance())
                .build();
    }

    private static Action chosen(RuleSet rules, Observation observation, List<Action> legal) {
        return legal.get(Strategy.choose(rules, observation, legal));
    }

    @Test
    void aWinComesBeforeEverything() {
        Action win = action(ActionType.ACTION_TYPE_WIN, 0);
        var legal = List.of(action(ActionType.ACTION_TYPE_CONCEALED_KONG, 11), action(DISCARD, 11), win);
        assertEquals(win, chosen(RULES, sees(new int[] {11, 11, 11, 11}), legal));
    }

    @Test
    void aKongComesBeforeAReveal() {
        Action kong = action(ActionType.ACTION_TYPE_ADDED_KONG, 11);
        assertEquals(kong, chosen(RULES, sees(new int[] {11, 12}), List.of(action(REVEAL, 12), kong)));
    }

    @Test
    void aReadyHandIsRevealedOnTheMostTilesUnseen() {
        var legal = both(actions(DISCARD, NEARLY_READY), actions(REVEAL, 23, 24));
        assertEquals(action(REVEAL, 24), chosen(RULES, sees(NEARLY_READY), legal));
    }

    @Test
    void aRivalsWaitIsNotDiscardedNotEvenToReveal() {
        var legal = both(actions(DISCARD, NEARLY_READY), actions(REVEAL, 23, 24));
        assertEquals(action(REVEAL, 23), chosen(RULES, sees(NEARLY_READY, 24), legal));
    }

    @Test
    void aLonelyTileGoesFirst() {
        int[] hand = {11, 12, 13, 15, 15, 16, 18, 21, 22, 23, 26, 35, 35, 36};
        assertEquals(action(DISCARD, 26), chosen(RULES, sees(hand), actions(DISCARD, hand)));
    }

    @Test
    void ofEquallyUsefulTilesTheFirstGoes() {
        int[] hand = {11, 11, 13, 14, 15, 17, 18, 21, 22, 23, 24, 35, 36, 37};
        assertEquals(action(DISCARD, 35), chosen(RULES, sees(hand), actions(DISCARD, hand)));
    }

    @Test
    void withALimitOfSuitsTheSmallestSuitGoes() {
        int[] hand = {1, 1, 2, 11, 12, 14, 16, 17, 19, 21, 23, 25, 26, 29};
        assertEquals(action(DISCARD, 2), chosen(THREE_SUITS, sees(hand), actions(DISCARD, hand)));
    }

    @Test
    void aDragonIsPungedIfThereIsAnotherPair() {
        var legal = List.of(action(ActionType.ACTION_TYPE_PUNG, 37), PASS);
        assertEquals(legal.get(0), chosen(RULES, sees(new int[] {11, 11, 14, 37, 37}), legal));
        assertEquals(PASS, chosen(RULES, sees(new int[] {11, 12, 14, 37, 37}), legal));
    }

    @Test
    void anotherTileIsPungedOnlyForAHandOfPairs() {
        var legal = List.of(action(ActionType.ACTION_TYPE_PUNG, 12), PASS);
        assertEquals(legal.get(0), chosen(RULES, sees(new int[] {12, 12, 14, 14, 16, 16}), legal));
        assertEquals(PASS, chosen(RULES, sees(new int[] {12, 12, 14, 14, 16, 17}), legal));
    }
}
