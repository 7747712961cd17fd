package kawuxing.bot;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import kawuxing.v1.RuleSet;
import org.junit.jupiter.api.Test;

class CompleteHandTest {
    private static final RuleSet RULES =
            RuleSet.newBuilder().setSevenPairs(true).build();
    private static final List<Integer> SEVEN_PAIRS = List.of(11, 11, 13, 13, 15, 15, 15, 15, 22, 22, 24, 24, 37, 37);

    private static boolean isComplete(List<Integer> concealed, List<Integer> melds, RuleSet rules) {
        return CompleteHand.isComplete(Tiles.count(concealed), melds, rules);
    }

    @Test
    void fourSetsAndAPairAreComplete() {
        assertTrue(isComplete(List.of(11, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15, 18, 18), List.of(), RULES));
        assertFalse(isComplete(List.of(11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15, 18, 18, 19), List.of(), RULES));
    }

    @Test
    void meldsAreSets() {
        assertTrue(isComplete(List.of(37, 37), List.of(11, 12, 22, 35), RULES));
    }

    @Test
    void noSequenceGoesFromSuitToSuitOrHasADragon() {
        assertFalse(isComplete(List.of(18, 19, 21, 22, 22), List.of(11, 12, 13), RULES));
        assertFalse(isComplete(List.of(35, 36, 37, 22, 22), List.of(11, 12, 13), RULES));
    }

    @Test
    void sevenPairsAreCompleteIfTheRulesHaveThemAndNothingIsMelded() {
        assertTrue(isComplete(SEVEN_PAIRS, List.of(), RULES));
        assertFalse(isComplete(SEVEN_PAIRS, List.of(), RuleSet.getDefaultInstance()));
        assertFalse(isComplete(List.of(11, 11, 13, 13, 15), List.of(21, 22, 23), RULES));
    }

    @Test
    void suitsCanBeLimitedMeldsIncluded() {
        RuleSet twoSuits = RULES.toBuilder().setMaxSuits(2).build();
        assertTrue(isComplete(List.of(1, 1), List.of(11, 12, 13, 14), twoSuits));
        assertFalse(isComplete(List.of(1, 1), List.of(11, 12, 13, 24), twoSuits));
    }
}
