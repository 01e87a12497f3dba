import { leafFrom } from './entry.js';
import { isPowerOf2, rootOfFirst, rootsOfGrowth } from './merkle.js';
import { NotProved } from './reader.js';
const fail = (reason) => {
    throw new NotProved(`consistency: ${reason}`);
};
/**
 * Verifies that the proof leads from an earlier size of the tree to the signed root.
 * @returns the root of that size; undefined if it is 0
 * @throws NotProved
 */
export function verifyGrowth({ consistency }, { tree, begin, witness }) {
    const { from_size: from, proof } = consistency;
    if (from > tree.size)
        fail(`from_size is ${from}, the tree has ${tree.size} entries`);
    if (from < begin)
        fail(`from_size is ${from}, ${begin} entries are before the period`);
    if (from === 0 || from === tree.size) {
        if (proof.length > 0)
            fail('the proof is not of these sizes');
        return from === 0 ? undefined : tree.root;
    }
    const path = isPowerOf2(from) && witness ? [firstRoot(witness, from), ...proof] : proof;
    const roots = rootsOfGrowth({ from, to: tree.size, path });
    if (!roots?.to.equals(tree.root))
        return fail('the proof does not lead to the signed root');
    return roots.from;
}
const firstRoot = (entry, size) => rootOfFirst(size, { ...entry.proof, leaf: leafFrom(entry) });
/** Days that were chosen in another time zone begin at another moment. */
const needsAdjoining = 'take periods that adjoin, with days of one time zone';
/**
 * Verifies that a statement begins where an earlier one ended, in a tree that only grew.
 * @throws NotProved
 */
export function verifyContinues(previous, statement) {
    const { consistency, tree, oldRoot } = statement;
    const failPrevious = (reason) => {
        throw new NotProved(`previous: ${reason}`);
    };
    if (previous.checkpoint.origin !== statement.checkpoint.origin)
        failPrevious(`it is of ${previous.checkpoint.origin}, not of ${statement.checkpoint.origin}`);
    if (previous.to !== statement.from)
        failPrevious(`it ends at ${previous.to}, the statement begins at ${statement.from}: ${needsAdjoining}`);
    if (previous.tree.at > tree.at)
        failPrevious(`its checkpoint is at ${previous.tree.at}, after ${tree.at}`);
    if (previous.tree.size !== consistency.from_size)
        fail(`the proof is from ${consistency.from_size} entries, the previous tree has ${previous.tree.size}`);
    if (oldRoot && !oldRoot.equals(previous.tree.root))
        fail('the tree does not begin with the one of the previous statement');
    const end = previous.begin + previous.count;
    if (end !== statement.begin)
        failPrevious(`its entries end at ${end}, those of the statement begin at ${statement.begin}`);
}
