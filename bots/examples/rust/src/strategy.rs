//! What the bot does: a pure function of what it is asked, so that its games can be reproduced.

use std::cmp::Reverse;

use crate::tiles::{Counts, DRAGONS, suit};
use crate::v1::{Action, ActionType, MeldType, Observation, RuleSet, SeatView};

const COPIES: u8 = 4;
/// What makes a tile useful: each extra copy, and neighbours at distance 1 and 2.
const EXTRA_COPY: u8 = 3;
const NEIGHBOURS: [(i32, u8); 4] = [(-2, 1), (-1, 2), (1, 2), (2, 1)];
/// How many pairs and melds make a hand of pungs.
const MANY_PAIRS: usize = 4;

/// Returns the index of the action to take: win, kong, claim a pung that fits, reveal on the most tiles, else discard the
/// least useful tile.
pub fn choose(rules: &RuleSet, seen: &Observation, legal: &[Action]) -> usize {
    use ActionType::{AddedKong, ConcealedKong, DirectKong, Discard, Pass, Pung, Reveal, Win};

    let win = of_type(legal, &[Win]).next();
    let kong = of_type(legal, &[ConcealedKong, AddedKong, DirectKong]).next();
    let pung = of_type(legal, &[Pung]).find(|&pung| is_good_pung(rules, seen, legal[pung].tile));
    let pass = of_type(legal, &[Pass]).next();
    let safe = |index: &usize| !is_waited_on(seen, legal[*index].tile);
    win.or(kong)
        .or(pung)
        .or(pass)
        .or_else(|| best_reveal(rules, seen, legal, of_type(legal, &[Reveal]).filter(safe)))
        .or_else(|| least_useful(rules, seen, legal, of_type(legal, &[Discard]).filter(safe)))
        .or_else(|| least_useful(rules, seen, legal, of_type(legal, &[Discard])))
        // There is always a discard; what a later version may ask instead has a first answer.
        .unwrap_or(0)
}

/// Returns the indices of the actions of these types.
fn of_type(legal: &[Action], types: &[ActionType]) -> impl Iterator<Item = usize> {
    let indices = legal.iter().enumerate();
    indices
        .filter(|(_, action)| types.contains(&action.r#type()))
        .map(|(index, _)| index)
}

/// Whether a pair is left for the hand's end, and the set is hard to get in another way.
fn is_good_pung(rules: &RuleSet, seen: &Observation, tile: i32) -> bool {
    let mut held = Counts::new(&seen.concealed);
    held.take(tile, 2);
    let pairs = held.pairs();
    let melds = own_seat(seen).map_or(0, |seat| seat.melds.len());
    pairs > 0
        && unwanted_suit(rules, seen) != Some(suit(tile))
        && (suit(tile) == DRAGONS || pairs + melds >= MANY_PAIRS)
}

fn own_seat(seen: &Observation) -> Option<&SeatView> {
    seen.seats.get(usize::try_from(seen.seat?).ok()?)
}

fn is_waited_on(seen: &Observation, tile: i32) -> bool {
    seen.seats.iter().any(|seat| seat.waits.contains(&tile))
}

/// Returns the reveal that waits on the most unseen tiles, the first of equals; none if none waits on any.
fn best_reveal(
    rules: &RuleSet,
    seen: &Observation,
    legal: &[Action],
    reveals: impl Iterator<Item = usize>,
) -> Option<usize> {
    let waited_on = |&index: &usize| winning_tiles(rules, seen, legal[index].tile);
    let (Reverse(tiles), best) = reveals.map(|index| (Reverse(waited_on(&index)), index)).min()?;
    (tiles > 0).then_some(best)
}

/// Returns how many unseen tiles complete the hand after a discard.
fn winning_tiles(rules: &RuleSet, seen: &Observation, discard: i32) -> u8 {
    let mut held = Counts::new(&seen.concealed);
    held.take(discard, 1);
    let completes = |kind: i32| {
        let mut hand = held.clone();
        hand.add(kind);
        hand.is_complete(rules.seven_pairs)
    };
    let kinds = rules.kinds.iter().filter(|&&kind| completes(kind));
    kinds.map(|&kind| unseen(seen, kind)).sum()
}

/// Returns how many tiles of a kind are in the wall or in hands that are not shown.
fn unseen(seen: &Observation, kind: i32) -> u8 {
    let number = |tiles: &[i32]| Counts::new(tiles).of(kind);
    let mut visible = number(&seen.concealed);
    for (seat, view) in (0..).zip(&seen.seats) {
        visible += number(&view.discards);
        if Some(seat) != seen.seat {
            visible += number(&view.shown);
        }
        for meld in view.melds.iter().filter(|meld| meld.tile == kind) {
            visible += if meld.r#type() == MeldType::Pung { 3 } else { 4 };
        }
    }
    COPIES.saturating_sub(visible)
}

/// Returns the discard that the hand needs least, the first of equals; while the hand has too many suits, one of the suit
/// to get rid of.
fn least_useful(
    rules: &RuleSet,
    seen: &Observation,
    legal: &[Action],
    discards: impl Iterator<Item = usize>,
) -> Option<usize> {
    let held = Counts::new(&seen.concealed);
    let unwanted = unwanted_suit(rules, seen);
    discards.min_by_key(|&index| {
        let tile = legal[index].tile;
        (unwanted != Some(suit(tile)), usefulness(&held, tile))
    })
}

/// Returns more, the more the other tiles of the hand need this one.
fn usefulness(held: &Counts, tile: i32) -> u8 {
    let neighbours = NEIGHBOURS
        .iter()
        .filter(|(distance, _)| held.at_distance(tile, *distance) > 0);
    EXTRA_COPY * (held.of(tile) - 1) + neighbours.map(|(_, worth)| worth).sum::<u8>()
}

/// Returns the suit to get rid of while the hand has more than it may have at its end: of those without melds the one
/// with the fewest tiles.
fn unwanted_suit(rules: &RuleSet, seen: &Observation) -> Option<usize> {
    let melds = own_seat(seen).map_or(&[][..], |seat| &seat.melds);
    let concealed = |number| seen.concealed.iter().filter(|&&tile| suit(tile) == number).count();
    let is_melded = |number| melds.iter().any(|meld| suit(meld.tile) == number);
    let used: Vec<usize> = (0..DRAGONS)
        .filter(|&number| is_melded(number) || concealed(number) > 0)
        .collect();
    let too_many = rules.max_suits > 0 && used.len() > rules.max_suits as usize;
    let unmelded = used.into_iter().filter(|&number| too_many && !is_melded(number));
    unmelded.min_by_key(|&number| concealed(number))
}

/// What the tests of this bot share.
#[cfg(test)]
pub mod testing {
    /// Reads the usual notation, such as `"1233p55s7z"`.
    pub fn tiles(text: &str) -> Vec<i32> {
        let mut read = Vec::new();
        for group in text.split_inclusive(|letter: char| letter.is_ascii_alphabetic()) {
            let (ranks, suit) = group.split_at(group.len() - 1);
            let suit = i32::try_from("mpsz".find(suit).unwrap()).unwrap();
            read.extend(ranks.bytes().map(|rank| 10 * suit + i32::from(rank - b'0')));
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::testing::tiles;
    use super::*;
    use crate::v1::Meld;

    fn rules() -> RuleSet {
        RuleSet {
            kinds: tiles("123456789p123456789s567z"),
            seats: 3,
            seven_pairs: true,
            ..RuleSet::default()
        }
    }

    fn two_suits() -> RuleSet {
        RuleSet {
            kinds: tiles("123456789m123456789p123456789s"),
            seats: 3,
            max_suits: 2,
            ..RuleSet::default()
        }
    }

    fn observation(concealed: &str) -> Observation {
        let seats = vec![SeatView::default(); 3];
        Observation {
            seat: Some(0),
            concealed: tiles(concealed),
            seats,
            ..Observation::default()
        }
    }

    fn actions(kind: ActionType, text: &str) -> Vec<Action> {
        let of_tile = |tile| Action {
            r#type: kind.into(),
            tile,
            face_down: Vec::new(),
        };
        tiles(text).into_iter().map(of_tile).collect()
    }

    fn plain(kind: ActionType) -> Vec<Action> {
        vec![Action {
            r#type: kind.into(),
            ..Action::default()
        }]
    }

    fn chosen(rules: &RuleSet, seen: &Observation, legal: &[Vec<Action>]) -> (ActionType, i32) {
        let legal = legal.concat();
        let action = &legal[choose(rules, seen, &legal)];
        (action.r#type(), action.tile)
    }

    fn discard(text: &str) -> (ActionType, i32) {
        (ActionType::Discard, tiles(text)[0])
    }

    #[test]
    fn wins_come_first_then_kongs() {
        let seen = observation("1111p");
        let kong = actions(ActionType::ConcealedKong, "1p");
        let win = chosen(&rules(), &seen, &[plain(ActionType::Win), kong.clone()]);
        assert_eq!(ActionType::Win, win.0);
        let kept = chosen(&rules(), &seen, &[kong, actions(ActionType::Discard, "1p")]);
        assert_eq!(ActionType::ConcealedKong, kept.0);
    }

    #[test]
    fn lonely_tiles_are_discarded() {
        let legal = actions(ActionType::Discard, "123p459s5z");
        assert_eq!(discard("9s"), chosen(&rules(), &observation("1123p4559s55z"), &[legal]));
    }

    #[test]
    fn equal_tiles_are_discarded_in_the_order_of_the_actions() {
        let legal = actions(ActionType::Discard, "1p567z");
        assert_eq!(discard("5z"), chosen(&rules(), &observation("11p567z"), &[legal]));
    }

    #[test]
    fn what_a_revealed_rival_waits_on_is_kept_while_there_is_anything_else() {
        let mut seen = observation("123p9s5z");
        seen.seats[2].waits = tiles("9s5z");
        assert_eq!(
            discard("1p"),
            chosen(&rules(), &seen, &[actions(ActionType::Discard, "123p9s5z")])
        );
        assert_eq!(
            discard("9s"),
            chosen(&rules(), &seen, &[actions(ActionType::Discard, "9s5z")])
        );
    }

    #[test]
    fn the_suit_with_the_fewest_tiles_goes_where_there_are_too_many() {
        let mut seen = observation("19m223p45678s");
        let legal = [actions(ActionType::Discard, "19m23p45678s")];
        assert_eq!(discard("1m"), chosen(&two_suits(), &seen, &legal));
        let meld = Meld {
            r#type: MeldType::Pung.into(),
            tile: tiles("5m")[0],
            source: 1,
        };
        seen.seats[0].melds.push(meld);
        assert_eq!(discard("3p"), chosen(&two_suits(), &seen, &legal));
    }

    #[test]
    fn the_reveal_on_the_most_unseen_tiles_is_taken() {
        // Without the 8p it waits on the 9s, without the 9s on the 8p.
        let mut seen = observation("1234568p2229s555z");
        let legal = [
            actions(ActionType::Discard, "8p9s"),
            actions(ActionType::Reveal, "8p9s"),
        ];
        seen.seats[1].discards = tiles("88p");
        assert_eq!((ActionType::Reveal, tiles("8p")[0]), chosen(&rules(), &seen, &legal));
        seen.seats[1].discards = tiles("99s");
        assert_eq!((ActionType::Reveal, tiles("9s")[0]), chosen(&rules(), &seen, &legal));
        seen.seats[1].discards = tiles("888p999s");
        assert_eq!(discard("9s"), chosen(&rules(), &seen, &legal));
    }

    #[test]
    fn pungs_are_claimed_for_dragons_and_in_hands_of_pairs() {
        for (concealed, tile, expected) in [
            ("1199p123456s555z", "5z", ActionType::Pung),
            ("123456789p12s55z", "5z", ActionType::Pass),
            ("1199p2266s55z12s", "1p", ActionType::Pung),
            ("1199p123456s55z", "1p", ActionType::Pass),
        ] {
            let legal = [actions(ActionType::Pung, tile), plain(ActionType::Pass)];
            assert_eq!(
                expected,
                chosen(&rules(), &observation(concealed), &legal).0,
                "{concealed}"
            );
        }
    }
}
