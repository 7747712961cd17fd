//! Counted tiles, and whether they are a complete hand.

/// Dragons have no order, and so no neighbours.
pub const DRAGONS: usize = 3;

/// How many numbers tiles have in the protocol: ten for each suit.
const NUMBERS: usize = 40;
const FULL_HAND: usize = 14;
const PAIR: u8 = 2;
const PUNG: u8 = 3;

/// How many tiles there are of each kind, by its number in the protocol.
#[derive(Debug, Clone)]
pub struct Counts([u8; NUMBERS]);

/// Returns the suit of a kind, which is below four.
pub fn suit(kind: i32) -> usize {
    index(kind) / 10
}

fn index(kind: i32) -> usize {
    usize::try_from(kind).expect("kinds are not negative")
}

impl Counts {
    /// Counts tiles.
    pub fn new(tiles: &[i32]) -> Self {
        let mut counts = Self([0; NUMBERS]);
        for &tile in tiles {
            counts.add(tile);
        }
        counts
    }

    /// Returns how many there are of a kind.
    pub fn of(&self, kind: i32) -> u8 {
        self.0[index(kind)]
    }

    /// Adds a tile.
    pub fn add(&mut self, kind: i32) {
        self.0[index(kind)] += 1;
    }

    /// Takes a number of tiles out; they must be there.
    pub fn take(&mut self, kind: i32, number: u8) {
        self.0[index(kind)] -= number;
    }

    /// Returns of how many kinds there are two tiles or more.
    pub fn pairs(&self) -> usize {
        self.0.iter().filter(|&&count| count >= PAIR).count()
    }

    /// Returns how many tiles lie a number of ranks away from a kind in its suit.
    pub fn at_distance(&self, kind: i32, distance: i32) -> u8 {
        let other = kind + distance;
        // Numbers that end in 0 are no tiles, and separate the suits.
        if suit(kind) == DRAGONS || other < 0 || suit(other) != suit(kind) {
            0
        } else {
            self.of(other)
        }
    }

    /// Whether the concealed tiles, 14 less 3 for each meld, make sets and a pair, or seven pairs if these count.
    pub fn is_complete(&self, seven_pairs: bool) -> bool {
        seven_pairs && self.is_seven_pairs() || (0..NUMBERS).any(|pair| self.is_sets_and(pair))
    }

    fn is_seven_pairs(&self) -> bool {
        let total: usize = self.0.iter().map(|&count| usize::from(count)).sum();
        total == FULL_HAND && self.0.iter().all(|count| count % PAIR == 0)
    }

    fn is_sets_and(&self, pair: usize) -> bool {
        let mut rest = self.clone();
        rest.0[pair] >= PAIR && {
            rest.0[pair] -= PAIR;
            rest.is_sets()
        }
    }

    fn is_sets(&self) -> bool {
        let Some(first) = self.0.iter().position(|&count| count > 0) else {
            return true;
        };
        self.is_sets_after(&[(first, PUNG)])
            || first / 10 != DRAGONS && self.is_sets_after(&[(first, 1), (first + 1, 1), (first + 2, 1)])
    }

    /// Whether these tiles are there, and sets without them.
    fn is_sets_after(&self, set: &[(usize, u8)]) -> bool {
        let mut rest = self.clone();
        for &(kind, number) in set {
            match rest.0[kind].checked_sub(number) {
                Some(left) => rest.0[kind] = left,
                None => return false,
            }
        }
        rest.is_sets()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::testing::tiles;

    #[test]
    fn complete_hands_are_sets_and_a_pair_or_seven_pairs() {
        for (hand, expected) in [
            ("111222333p44s", true),
            ("11123p", true),
            ("55z", true),
            ("11223344556677p", true),
            ("1122p3344s556677z", true),
            ("123p", false),
            ("11p567z", false),
            ("11p55s", false),
            ("89p1s55z", false),
        ] {
            assert_eq!(expected, Counts::new(&tiles(hand)).is_complete(true), "{hand}");
        }
    }

    #[test]
    fn seven_pairs_are_complete_only_where_the_rules_have_them() {
        assert!(!Counts::new(&tiles("1199p2266s556677z")).is_complete(false));
    }

    #[test]
    fn neighbours_are_of_the_same_suit_and_dragons_have_none() {
        let counts = Counts::new(&tiles("19p12s567z"));
        assert_eq!(
            [1, 0, 0, 0],
            [
                counts.at_distance(tiles("1s")[0], 1),
                counts.at_distance(tiles("9p")[0], 2),
                counts.at_distance(tiles("1p")[0], -2),
                counts.at_distance(tiles("6z")[0], 1),
            ]
        );
    }
}
