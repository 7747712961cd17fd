// Package strategy decides what the bot does. Everything in it is a pure function of what the bot is asked, so that its
// games can be reproduced.
package strategy

import (
	"slices"

	kawuxingv1 "kawuxing.example/bot/gen/kawuxing/v1"
)

const (
	win     = kawuxingv1.ActionType_ACTION_TYPE_WIN
	pass    = kawuxingv1.ActionType_ACTION_TYPE_PASS
	pung    = kawuxingv1.ActionType_ACTION_TYPE_PUNG
	discard = kawuxingv1.ActionType_ACTION_TYPE_DISCARD
	reveal  = kawuxingv1.ActionType_ACTION_TYPE_REVEAL

	concealedKong = kawuxingv1.ActionType_ACTION_TYPE_CONCEALED_KONG
	addedKong     = kawuxingv1.ActionType_ACTION_TYPE_ADDED_KONG
	directKong    = kawuxingv1.ActionType_ACTION_TYPE_DIRECT_KONG
)

// What makes a tile useful.
const (
	extraCopy  = 3
	neighbour  = 2
	nextButOne = 1
	// lowest is more than any tile is worth.
	lowest = 1000
)

// manyPairs is how many pairs and melds make a hand of pungs.
const manyPairs = 4

// Choose returns the index of the action to take: win, kong, reveal on the most tiles, claim a pung that fits, else
// discard the least useful tile.
func Choose(rules *kawuxingv1.RuleSet, seen *kawuxingv1.Observation, legal []*kawuxingv1.Action) int {
	if wins := ofType(legal, win); len(wins) > 0 {
		return wins[0]
	}
	if kongs := ofType(legal, concealedKong, addedKong, directKong); len(kongs) > 0 {
		return kongs[0]
	}
	if passes := ofType(legal, pass); len(passes) > 0 {
		if pungs := ofType(legal, pung); len(pungs) > 0 && isGoodPung(rules, seen, legal[pungs[0]].GetTile()) {
			return pungs[0]
		}
		return passes[0]
	}
	if best := bestReveal(rules, seen, legal); best >= 0 {
		return best
	}
	return bestDiscard(rules, seen, legal)
}

// ofType returns the indices of the actions of these types.
func ofType(legal []*kawuxingv1.Action, types ...kawuxingv1.ActionType) []int {
	var indices []int
	for index, action := range legal {
		if slices.Contains(types, action.GetType()) {
			indices = append(indices, index)
		}
	}
	return indices
}

// isGoodPung says whether a pair is left for the hand's end, and the set is hard to get in another way.
func isGoodPung(rules *kawuxingv1.RuleSet, seen *kawuxingv1.Observation, tile kawuxingv1.Tile) bool {
	held := count(seen.GetConcealed())
	held[tile] -= 2
	pairs := 0
	for _, number := range held {
		if number >= 2 {
			pairs++
		}
	}
	if pairs == 0 || suit(int(tile)) == unwantedSuit(rules, seen) {
		return false
	}
	return suit(int(tile)) == dragons || pairs+len(ownMelds(seen)) >= manyPairs
}

func ownMelds(seen *kawuxingv1.Observation) []*kawuxingv1.Meld {
	return seen.GetSeats()[seen.GetSeat()].GetMelds()
}

// safe returns the indices of the actions of a type with a tile that no revealed seat waits on.
func safe(seen *kawuxingv1.Observation, legal []*kawuxingv1.Action, actionType kawuxingv1.ActionType) []int {
	return slices.DeleteFunc(ofType(legal, actionType), func(index int) bool {
		return slices.ContainsFunc(seen.GetSeats(), func(seat *kawuxingv1.SeatView) bool {
			return slices.Contains(seat.GetWaits(), legal[index].GetTile())
		})
	})
}

// bestReveal returns the safe reveal that waits on the most unseen tiles, -1 if none waits on any.
func bestReveal(rules *kawuxingv1.RuleSet, seen *kawuxingv1.Observation, legal []*kawuxingv1.Action) int {
	unseen := unseenTiles(rules, seen)
	best, most := -1, 0
	for _, index := range safe(seen, legal, reveal) {
		held := count(seen.GetConcealed())
		held[legal[index].GetTile()]--
		if tiles := winningTiles(rules, held, unseen); tiles > most {
			best, most = index, tiles
		}
	}
	return best
}

// winningTiles returns how many unseen tiles complete a hand.
func winningTiles(rules *kawuxingv1.RuleSet, held, unseen counts) int {
	tiles := 0
	for _, kind := range rules.GetKinds() {
		held[kind]++
		if held.isComplete(rules.GetSevenPairs()) {
			tiles += unseen[kind]
		}
		held[kind]--
	}
	return tiles
}

// unseenTiles returns how many tiles of each kind in play are in the wall or in hands that are not shown.
func unseenTiles(rules *kawuxingv1.RuleSet, seen *kawuxingv1.Observation) counts {
	var unseen counts
	for _, kind := range rules.GetKinds() {
		unseen[kind] = copies
	}
	lie := func(tiles []kawuxingv1.Tile) {
		for _, tile := range tiles {
			unseen[tile]--
		}
	}
	lie(seen.GetConcealed())
	for number, seat := range seen.GetSeats() {
		lie(seat.GetDiscards())
		if uint32(number) != seen.GetSeat() {
			lie(seat.GetShown())
		}
		for _, meld := range seat.GetMelds() {
			unseen[meld.GetTile()] -= meldSize(meld)
		}
	}
	return unseen
}

func meldSize(meld *kawuxingv1.Meld) int {
	if meld.GetType() == kawuxingv1.MeldType_MELD_TYPE_PUNG {
		return 3
	}
	return 4
}

// bestDiscard returns the discard of the least useful tile, of the safe ones if there are any.
func bestDiscard(rules *kawuxingv1.RuleSet, seen *kawuxingv1.Observation, legal []*kawuxingv1.Action) int {
	candidates := safe(seen, legal, discard)
	if len(candidates) == 0 {
		candidates = ofType(legal, discard)
	}
	if len(candidates) == 0 {
		// There is always a discard; what a later version may ask instead has a first answer.
		return 0
	}
	held := count(seen.GetConcealed())
	unwanted := unwantedSuit(rules, seen)
	return slices.MinFunc(candidates, func(a, b int) int {
		return usefulness(held, legal[a].GetTile(), unwanted) - usefulness(held, legal[b].GetTile(), unwanted)
	})
}

// usefulness is higher the more the other tiles of the hand need this one; all of an unwanted suit have the lowest.
func usefulness(held counts, tile kawuxingv1.Tile, unwanted int) int {
	kind := int(tile)
	value := extraCopy * (held[kind] - 1)
	for _, side := range []int{-1, 1} {
		value += neighbour*min(held.at(kind, side), 1) + nextButOne*min(held.at(kind, 2*side), 1)
	}
	if suit(kind) == unwanted {
		value -= lowest
	}
	return value
}

// unwantedSuit returns the suit to get rid of while the hand has more than it may have at its end, else -1: of those
// without melds the one with the fewest tiles.
func unwantedSuit(rules *kawuxingv1.RuleSet, seen *kawuxingv1.Observation) int {
	if rules.GetMaxSuits() == 0 {
		return -1
	}
	var concealed, melded [suits]int
	for _, tile := range seen.GetConcealed() {
		concealed[suit(int(tile))]++
	}
	for _, meld := range ownMelds(seen) {
		melded[suit(int(meld.GetTile()))]++
	}
	used, fewest := 0, -1
	for number := range dragons {
		if concealed[number]+melded[number] > 0 {
			used++
		}
		if concealed[number] > 0 && melded[number] == 0 && (fewest < 0 || concealed[number] < concealed[fewest]) {
			fewest = number
		}
	}
	if used <= int(rules.GetMaxSuits()) {
		return -1
	}
	return fewest
}
