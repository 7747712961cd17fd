package kawuxing.bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static Map<String, String> rightBut(Map<String, String> changes) {
        var environment = new HashMap<>(Map.of("KAWUXING_ADDRESS", "arena.example.org:7700", "KAWUXING_TOKEN", "secret"));
        environment.putAll(changes);
        return environment;
    }

    @Test
    void addressAndTokenAreEnough() throws Refusal {
        var expected = new Settings("arena.example.org:7700", "secret", 1, OptionalInt.empty());
        assertEquals(expected, Settings.from(rightBut(Map.of())));
    }

    @Test
    void capacityAndMatchesAreWholeNumbers() throws Refusal {
        var settings = Settings.from(rightBut(Map.of("KAWUXING_CAPACITY", "64", "KAWUXING_MATCHES", "3")));
        assertEquals(64, settings.capacity());
        assertEquals(OptionalInt.of(3), settings.matches());
    }

    @ParameterizedTest
    @CsvSource({
        "KAWUXING_ADDRESS, no-port",
        "KAWUXING_ADDRESS, host:0",
        "KAWUXING_ADDRESS, http://host:7700",
        "KAWUXING_CAPACITY, 65",
        "KAWUXING_CAPACITY, 1e1",
        "KAWUXING_MATCHES, -1",
    })
    void aMalformedSettingIsRefusedByName(String name, String value) {
        var refusal = assertThrows(Refusal.class, () -> Settings.from(rightBut(Map.of(name, value))));
        assertEquals(2, refusal.exitCode());
        assertTrue(refusal.getMessage().startsWith("%s is '%s': expected".formatted(name, value)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"KAWUXING_ADDRESS", "KAWUXING_TOKEN"})
    void aMissingSettingIsRefusedByName(String name) {
        var refusal = assertThrows(Refusal.class, () -> Settings.from(rightBut(Map.of(name, ""))));
        assertEquals(name + " is not set", refusal.getMessage());
    }
}
