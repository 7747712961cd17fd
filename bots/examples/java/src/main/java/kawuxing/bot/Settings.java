package kawuxing.bot;

import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * What the environment says: where to play, as whom, and how much.
 *
 * @param address host:port of the arena
 * @param token the bot's token, from the organiser
 * @param capacity matches at once, 1 to 64
 * @param matches matches to play before stopping; empty for as many as there are
 */
record Settings(String address, String token, int capacity, OptionalInt matches) {
    private static final int MAX_CAPACITY = 64;
    private static final int MAX_MATCHES = 1_000_000_000;
    private static final int MAX_PORT = 65_535;
    private static final Pattern ADDRESS = Pattern.compile("[^/]+:([0-9]{1,5})");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");

    /** Returns the settings. Throws a Refusal that names the variable, its value and what was expected. */
    static Settings from(Map<String, String> environment) throws Refusal {
        return new Settings(
                checkedAddress(required(environment, "KAWUXING_ADDRESS")),
                required(environment, "KAWUXING_TOKEN"),
                wholeNumber(environment, "KAWUXING_CAPACITY", MAX_CAPACITY).orElse(1),
                wholeNumber(environment, "KAWUXING_MATCHES", MAX_MATCHES));
    }

    private static String required(Map<String, String> environment, String name) throws Refusal {
        String value = environment.getOrDefault(name, "");
        if (value.isEmpty()) {
            throw new Refusal(Refusal.SETTINGS, name + " is not set");
        }
        return value;
    }

    private static String checkedAddress(String text) throws Refusal {
        var matcher = ADDRESS.matcher(text);
        if (!matcher.matches() || !isBetween(Long.parseLong(matcher.group(1)), 1, MAX_PORT)) {
            throw new Refusal(
                    Refusal.SETTINGS,
                    "KAWUXING_ADDRESS is '%s': expected host:port, such as 127.0.0.1:7700".formatted(text));
        }
        return text;
    }

    private static OptionalInt wholeNumber(Map<String, String> environment, String name, int limit) throws Refusal {
        String text = environment.getOrDefault(name, "");
        if (text.isEmpty()) {
            return OptionalInt.empty();
        }
        if (!NUMBER.matcher(text).matches() || !isBetween(Long.parseLong(text), 1, limit)) {
            throw new Refusal(
                    Refusal.SETTINGS, "%s is '%s': expected a whole number from 1 to %d".formatted(name, text, limit));
        }
        return OptionalInt.of(Integer.parseInt(text));
    }

    private static boolean isBetween(long value, long least, long most) {
        return least <= value && value <= most;
    }
}
