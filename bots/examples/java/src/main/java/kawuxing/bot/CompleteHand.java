package kawuxing.bot;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import kawuxing.v1.RuleSet;

/** Complete hands (RULES §3). */
final class CompleteHand {
    private CompleteHand() {}

    /** Returns whether the concealed tiles complete a hand beside the melds of these kinds. */
    static boolean isComplete(int[] concealed, List<Integer> melds, RuleSet rules) {
        if (rules.getMaxSuits() > 0 && suits(concealed, melds) > rules.getMaxSuits()) {
            return false;
        }
        if (rules.getSevenPairs() && melds.isEmpty() && Arrays.stream(concealed).allMatch(count -> count % 2 == 0)) {
            return true;
        }
        return IntStream.range(0, concealed.length)
                .filter(pair -> concealed[pair] >= 2)
                .anyMatch(pair -> {
                    int[] rest = concealed.clone();
                    rest[pair] -= 2;
                    return isSets(rest);
                });
    }

    private static long suits(int[] concealed, List<Integer> melds) {
        var held = IntStream.range(0, concealed.length).filter(tile -> concealed[tile] > 0);
        return IntStream.concat(held, melds.stream().mapToInt(Integer::intValue))
                .map(Tiles::suit)
                .distinct()
                .count();
    }

    /** Returns whether all tiles can be split into pungs and sequences. Changes the counts. */
    private static boolean isSets(int[] counts) {
        for (int lowest = 0; lowest < counts.length; lowest++) {
            // Three sequences from one tile are three pungs as well, so a pung never has to be put back.
            counts[lowest] %= 3;
            if (counts[lowest] == 0) {
                continue;
            }
            if (lowest > Tiles.SUITED || counts[lowest + 1] < counts[lowest] || counts[lowest + 2] < counts[lowest]) {
                return false;
            }
            counts[lowest + 1] -= counts[lowest];
            counts[lowest + 2] -= counts[lowest];
        }
        return true;
    }
}
