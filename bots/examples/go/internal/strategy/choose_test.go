package strategy

import (
	"strings"
	"testing"

	kawuxingv1 "kawuxing.example/bot/gen/kawuxing/v1"
)

// tiles reads the usual notation, such as "1233p55s7z".
func tiles(text string) []kawuxingv1.Tile {
	var read []kawuxingv1.Tile
	begun := 0
	for index, letter := range text {
		if suit := strings.IndexRune("mpsz", letter); suit >= 0 {
			for _, rank := range text[begun:index] {
				read = append(read, kawuxingv1.Tile(10*suit+int(rank-'0')))
			}
			begun = index + 1
		}
	}
	return read
}

func tile(text string) kawuxingv1.Tile {
	return tiles(text)[0]
}

func rules(maxSuits uint32) *kawuxingv1.RuleSet {
	kinds := tiles("123456789p123456789s567z")
	if maxSuits > 0 {
		kinds = tiles("123456789m123456789p123456789s")
	}
	return &kawuxingv1.RuleSet{Kinds: kinds, Seats: 3, SevenPairs: maxSuits == 0, MaxSuits: maxSuits}
}

func observation(concealed string) *kawuxingv1.Observation {
	seat := uint32(0)
	return &kawuxingv1.Observation{
		Seat: &seat, Concealed: tiles(concealed), Seats: []*kawuxingv1.SeatView{{}, {}, {}},
	}
}

func actions(actionType kawuxingv1.ActionType, text string) []*kawuxingv1.Action {
	var actions []*kawuxingv1.Action
	for _, tile := range tiles(text) {
		actions = append(actions, &kawuxingv1.Action{Type: actionType, Tile: tile})
	}
	return actions
}

func claims(tile string) []*kawuxingv1.Action {
	return append(actions(pung, tile), &kawuxingv1.Action{Type: pass})
}

func choose(maxSuits uint32, seen *kawuxingv1.Observation, legal []*kawuxingv1.Action) string {
	action := legal[Choose(rules(maxSuits), seen, legal)]
	return strings.TrimPrefix(action.GetType().String(), "ACTION_TYPE_") + " " +
		strings.TrimPrefix(action.GetTile().String(), "TILE_")
}

func expect(t *testing.T, want, got string) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWinsComeFirstThenKongs(t *testing.T) {
	seen := observation("1111p")
	kong := actions(concealedKong, "1p")
	expect(t, "WIN UNSPECIFIED", choose(0, seen, append([]*kawuxingv1.Action{{Type: win}}, kong...)))
	expect(t, "CONCEALED_KONG 1P", choose(0, seen, append(kong, actions(discard, "1p")...)))
}

func TestLonelyTilesAreDiscarded(t *testing.T) {
	expect(t, "DISCARD 9S", choose(0, observation("1123p4559s55z"), actions(discard, "123p459s5z")))
}

func TestEqualTilesAreDiscardedInTheOrderOfTheActions(t *testing.T) {
	expect(t, "DISCARD 5Z", choose(0, observation("11p567z"), actions(discard, "1p567z")))
}

func TestWhatARevealedRivalWaitsOnIsKept(t *testing.T) {
	seen := observation("123p9s5z")
	seen.Seats[2].Waits = tiles("9s5z")
	expect(t, "DISCARD 1P", choose(0, seen, actions(discard, "123p9s5z")))
	expect(t, "DISCARD 9S", choose(0, seen, actions(discard, "9s5z")))
}

func TestTheSuitWithFewestTilesGoesWhereThereAreTooMany(t *testing.T) {
	seen := observation("19m223p45678s")
	expect(t, "DISCARD 1M", choose(2, seen, actions(discard, "19m23p45678s")))
	seen.Seats[0].Melds = []*kawuxingv1.Meld{{Type: kawuxingv1.MeldType_MELD_TYPE_PUNG, Tile: tile("5m")}}
	expect(t, "DISCARD 3P", choose(2, seen, actions(discard, "19m23p45678s")))
}

func TestTheRevealWithMostUnseenTilesIsTaken(t *testing.T) {
	// Without 8p it waits on 9s, without 9s on 8p; of 9s there are more left.
	seen := observation("1234568p2229s555z")
	legal := append(actions(discard, "8p9s"), actions(reveal, "8p9s")...)
	expect(t, "REVEAL 8P", choose(0, withDiscards(seen, "88p"), legal))
	expect(t, "REVEAL 9S", choose(0, withDiscards(seen, "99s"), legal))
	expect(t, "DISCARD 9S", choose(0, withDiscards(seen, "888p999s"), legal))
}

func withDiscards(seen *kawuxingv1.Observation, text string) *kawuxingv1.Observation {
	seen.Seats[1].Discards = tiles(text)
	return seen
}

func TestPungsAreClaimedForDragonsAndHandsOfPairs(t *testing.T) {
	expect(t, "PUNG 5Z", choose(0, observation("1199p123456s555z"), claims("5z")))
	expect(t, "PASS UNSPECIFIED", choose(0, observation("123456789p12s55z"), claims("5z")))
	expect(t, "PASS UNSPECIFIED", choose(0, observation("1199p123456s55z"), claims("1p")))
	expect(t, "PUNG 1P", choose(0, observation("1199p2266s55z12s"), claims("1p")))
}

func TestCompleteHands(t *testing.T) {
	for text, want := range map[string]bool{
		"111222333p44s":     true,
		"123p":              false,
		"11223344556677p":   true,
		"1122p3344s556677z": true,
		"11p567z":           false,
		"11123p":            true,
		"55z":               true,
		"11p55s":            false,
	} {
		held := count(tiles(text))
		if got := held.isComplete(true); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	pairs := count(tiles("1199p2266s556677z"))
	if pairs.isComplete(false) {
		t.Error("seven pairs are complete without the rule")
	}
}
