package strategy

import kawuxingv1 "kawuxing.example/bot/gen/kawuxing/v1"

const (
	copies       = 4
	fullHand     = 14
	dragons      = 3
	suits        = 4
	highestRank  = 9
	tileNumbers  = 10 * suits
	sequenceSize = 3
)

// counts has how many tiles there are of each kind, by the number of the kind in the protocol.
type counts [tileNumbers]int

func count(tiles []kawuxingv1.Tile) counts {
	var held counts
	for _, tile := range tiles {
		held[tile]++
	}
	return held
}

func (c *counts) total() int {
	sum := 0
	for _, number := range c {
		sum += number
	}
	return sum
}

func suit(tile int) int {
	return tile / 10
}

// at returns how many tiles lie a number of ranks away from a kind in its suit; none from dragons, which have no order.
func (c *counts) at(tile, distance int) int {
	rank := tile%10 + distance
	if suit(tile) == dragons || rank < 1 || rank > highestRank {
		return 0
	}
	return c[tile+distance]
}

// isComplete says whether the concealed tiles, 14 less 3 for each meld, make sets and a pair, or seven pairs.
func (c *counts) isComplete(sevenPairs bool) bool {
	if sevenPairs && c.total() == fullHand && c.areAllPairs() {
		return true
	}
	for tile, number := range c {
		if number >= 2 {
			rest := *c
			rest[tile] -= 2
			if rest.areSets(0) {
				return true
			}
		}
	}
	return false
}

func (c *counts) areAllPairs() bool {
	for _, number := range c {
		if number%2 != 0 {
			return false
		}
	}
	return true
}

// areSets says whether the tiles from a kind on split into pungs and sequences; there are none below it.
func (c *counts) areSets(from int) bool {
	for from < tileNumbers && c[from] == 0 {
		from++
	}
	if from == tileNumbers {
		return true
	}
	if c[from] >= 3 {
		rest := *c
		rest[from] -= 3
		if rest.areSets(from) {
			return true
		}
	}
	if c.at(from, 1) > 0 && c.at(from, 2) > 0 {
		rest := *c
		for tile := from; tile < from+sequenceSize; tile++ {
			rest[tile]--
		}
		return rest.areSets(from)
	}
	return false
}
