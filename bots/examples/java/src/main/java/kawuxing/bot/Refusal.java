package kawuxing.bot;

/** Ends the program with a message for its user. */
final class Refusal extends Exception {
    static final int SETTINGS = 2;
    static final int INCOMPATIBLE = 3;

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    Refusal(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    int exitCode() {
        return exitCode;
    }
}
