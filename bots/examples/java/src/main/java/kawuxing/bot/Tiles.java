package kawuxing.bot;

/** Tiles by their numbers in the protocol, the suit times ten plus the rank, and counts of them by these (RULES §1). */
final class Tiles {
    static final int COPIES = 4;
    /** The dragons are above this; they form no sequence. */
    static final int SUITED = 30;
    /** Room for every kind and, above each, two that are never held. */
    private static final int SLOTS = 40;

    private Tiles() {}

    /** Returns whether this version can count tiles of these kinds. */
    static boolean areKnown(Iterable<Integer> kinds) {
        for (int kind : kinds) {
            if (kind < 0 || kind >= SLOTS) {
                return false;
            }
        }
        return true;
    }

    static int[] count(Iterable<Integer> tiles) {
        int[] counts = new int[SLOTS];
        for (int tile : tiles) {
            counts[tile]++;
        }
        return counts;
    }

    static int suit(int tile) {
        return tile / 10;
    }
}
