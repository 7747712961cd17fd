#!/bin/sh
# A bot in POSIX shell and awk. Run it with: kawuxing bridge -- sh bot.sh
# A new awk for each question: some awks read ahead or write late, so that a single one would wait for ever.
while IFS= read -r line; do
    printf '%s\n' "$line" | awk '
        # Tiles of one suit are near each other, suits are not, and no dragon is near another.
        function number(tile) {
            return index("MPSZ", substr(tile, 2, 1)) * 20 + substr(tile, 1, 1) * (tile ~ /Z/ ? 10 : 1)
        }
        # The text between the brackets of the list with this name.
        function list(name) {
            if (!match($0, "\"" name "\":\\[[^]]*")) return ""
            return substr($0, RSTART, RLENGTH)
        }
        # How much of the hand goes with a tile: other copies of it, and neighbours in its suit.
        function company(tile,    i, gap, sum) {
            for (i = 2; i <= held; i++) {
                gap = number(hand[i]) - number(tile)
                sum += gap == 0 ? 6 : gap * gap == 1 ? 3 : gap * gap == 4 ? 1 : 0
            }
            return sum
        }
        index($0, "{\"decisionRequest\"") == 1 {
            gsub(/ /, "")
            match($0, /"decisionId":[0-9]+/)
            id = substr($0, RSTART + 13, RLENGTH - 13)
            held = split(list("concealed"), hand, "TILE_")
            count = split($0, action, "ACTION_TYPE_")
            for (i = 2; i <= count; i++) {
                split(action[i], part, "\"")
                worth = index("DISCARD PASS PUNG DIRECT_KONG ADDED_KONG CONCEALED_KONG REVEAL WIN", part[1]) * 1000
                if (part[1] == "DISCARD") worth -= company(substr(part[5], 6))
                if (i == 2 || worth > best) { best = worth; choice = i - 2 }
            }
            printf "{\"decisionId\":%d,\"choice\":%d}\n", id, choice
        }'
done
