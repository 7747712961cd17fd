package kawuxing.bot;

import static java.util.Comparator.comparingInt;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import kawuxing.v1.Meld;
import kawuxing.v1.MeldType;
import kawuxing.v1.Observation;
import kawuxing.v1.RuleSet;
import kawuxing.v1.SeatView;

/** What the bot sees, counted once for all discards. */
final class Sight {
    private static final int TILES_OF_A_PUNG = 3;
    private static final int EACH_FURTHER_COPY = 3;
    /** What a tile at distance one and two in the same suit is worth. */
    private static final int[] NEIGHBOURS = {2, 1};
    /** More than any tile can be useful. */
    private static final int OF_A_SUIT_TO_KEEP = 100;

    private final RuleSet rules;
    private final int[] concealed;
    private final List<Integer> melds;
    private final int[] seen;
    private final Set<Integer> awaited;
    private final Set<Integer> suitsToKeep;

    Sight(RuleSet rules, Observation observation) {
        SeatView own = observation.getSeats(observation.getSeat());
        List<SeatView> rivals = IntStream.range(0, observation.getSeatsCount())
                .filter(seat -> seat != observation.getSeat())
                .mapToObj(observation::getSeats)
                .toList();
        this.rules = rules;
        concealed = Tiles.count(observation.getConcealedValueList());
        melds = own.getMeldsList().stream().map(Meld::getTileValue).toList();
        var open = new ArrayList<>(observation.getConcealedValueList());
        observation.getSeatsList().forEach(seat -> open.addAll(tilesOnTheTable(seat)));
        rivals.forEach(seat -> open.addAll(seat.getShownValueList()));
        seen = Tiles.count(open);
        awaited = rivals.stream()
                .flatMap(seat -> seat.getWaitsValueList().stream())
                .collect(Collectors.toUnmodifiableSet());
        suitsToKeep = largestSuits();
    }

    /** Returns whether a revealed rival waits on the tile. */
    boolean isAwaited(int tile) {
        return awaited.contains(tile);
    }

    /** Returns how many tiles nobody has shown yet complete the hand after this discard. */
    int winnersAfter(int discard) {
        int[] hand = concealed.clone();
        hand[discard]--;
        int winners = 0;
        for (int kind : rules.getKindsValueList()) {
            hand[kind]++;
            if (seen[kind] < Tiles.COPIES && CompleteHand.isComplete(hand, melds, rules)) {
                winners += Tiles.COPIES - seen[kind];
            }
            hand[kind]--;
        }
        return winners;
    }

    /** Returns what a tile is worth to the sets and pairs of this hand. */
    int usefulness(int tile) {
        int suit = suitsToKeep.contains(Tiles.suit(tile)) ? OF_A_SUIT_TO_KEEP : 0;
        int copies = EACH_FURTHER_COPY * (concealed[tile] - 1);
        if (tile > Tiles.SUITED) {
            return suit + copies;
        }
        int neighbours = IntStream.of(-2, -1, 1, 2)
                .filter(step -> Tiles.suit(tile + step) == Tiles.suit(tile))
                .filter(step -> tile + step > 0 && concealed[tile + step] > 0)
                .map(step -> NEIGHBOURS[Math.abs(step) - 1])
                .sum();
        return suit + copies + neighbours;
    }

    /** Returns as many suits as a complete hand may have, those with the most tiles; of equals the lower. */
    private Set<Integer> largestSuits() {
        int[] sizes = new int[Tiles.suit(concealed.length)];
        for (int tile = 0; tile < concealed.length; tile++) {
            sizes[Tiles.suit(tile)] += concealed[tile];
        }
        melds.forEach(tile -> sizes[Tiles.suit(tile)] += TILES_OF_A_PUNG);
        return IntStream.range(0, sizes.length)
                .boxed()
                .sorted(comparingInt((Integer suit) -> sizes[suit]).reversed())
                .limit(rules.getMaxSuits() > 0 ? rules.getMaxSuits() : sizes.length)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the tiles that lie open before a seat, those of a revealed hand aside. */
    private static List<Integer> tilesOnTheTable(SeatView seat) {
        var tiles = new ArrayList<>(seat.getDiscardsValueList());
        for (Meld meld : seat.getMeldsList()) {
            int copies = meld.getType() == MeldType.MELD_TYPE_PUNG ? TILES_OF_A_PUNG : Tiles.COPIES;
            tiles.addAll(Collections.nCopies(copies, meld.getTileValue()));
        }
        return tiles;
    }
}
