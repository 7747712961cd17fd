package kawuxing.bot;

import java.util.logging.Level;
import java.util.logging.Logger;

/** A bot for a Kawuxing arena. */
public final class Main {
    /** Kept, because a logger that nobody holds forgets its level. */
    private static final Logger LIBRARY = Logger.getLogger("io.grpc");

    private Main() {}

    /** Ends with exit code 0 if all is over, 2 if a setting is wrong or refused, 3 if the versions do not fit. */
    public static void main(String[] arguments) {
        // This bot tells by itself, and once, that an arena is out of reach.
        LIBRARY.setLevel(Level.SEVERE);
        // A virtual machine that a signal ends has an exit code of its own, unless it is halted in a hook.
        int exitCode = 0;
        try {
            var lobby = new LobbyClient(Settings.from(System.getenv()));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                lobby.close();
                Runtime.getRuntime().halt(0);
            }));
            lobby.run();
        } catch (Refusal refusal) {
            System.err.println("error: " + refusal.getMessage());
            exitCode = refusal.exitCode();
        } catch (InterruptedException | RuntimeException error) {
            error.printStackTrace();
            exitCode = 1;
        }
        Runtime.getRuntime().halt(exitCode);
    }
}
