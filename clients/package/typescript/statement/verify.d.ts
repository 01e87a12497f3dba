/** What does not hold: one line that names the first entry or proof. */
export declare class NotProved extends Error {
    readonly name = "NotProved";
}
/** A statement, and what it was verified with; each as parsed JSON. */
export type Given = {
    /** Of one shop and one period, each in another currency. */
    statements: readonly unknown[];
    /** An earlier statement of the shop, which ends where these begin. */
    previous?: unknown;
    /** The answer of GET /v1/keys or /.well-known/checkpoint-keys. */
    keys: unknown;
};
/**
 * Verifies that the entries are in the signed tree, unchanged and in order, that their sums are
 * right, and that the tree still has all that it had at the previous statement.
 * @returns one line about what was verified
 * @throws NotProved
 */
export declare function verifyStatements({ statements, previous, keys }: Given): string;
