import { verifyCheckpoint } from './checkpoint.js';
import { verifyContinues, verifyGrowth } from './consistency.js';
import { treeFrom, verifyEntry } from './entry.js';
import { NotProved, TextReader } from './reader.js';
import { readJournalEntries, readKeys, parseStatement, } from './shapes.js';
export { NotProved } from './reader.js';
export { sourceFromBytes } from './source.js';
/**
 * Verifies that a statement of version 2 has each entry of its period and nothing else, all of
 * which is in the signed tree of its ledger, that its amounts follow from each other, and that the
 * tree still has what it had at the previous statement. Nothing is shown that is not hashed or
 * signed.
 * @returns one line about what was verified
 * @throws NotProved
 */
export function verifyStatement({ statement: source, previous: earlier, keys, }) {
    const known = inFile('keys', () => readKeys(keys));
    const statement = verifyAlone(source, known);
    if (earlier)
        verifyContinues(inFile('previous', () => verifyAlone(earlier, known)), statement);
    const { shop_id: shop, currency, from, to, opening, closing, count, tree } = statement;
    return [
        `${shop}: ${currency} from ${from} to ${to}`,
        `opening ${opening}, closing ${closing}, ${count} entries`,
        `the checkpoint of ${tree.size} is signed by key ${statement.checkpoint.key_id} at ${tree.at}`,
        earlier ? 'nothing before was changed' : 'no previous statement was given',
    ].join('; ');
}
/** Says of which file a reason is. */
function inFile(file, read) {
    try {
        return read();
    }
    catch (error) {
        if (error instanceof NotProved)
            throw new NotProved(`${file}: ${error.message}`);
        throw error;
    }
}
function verifyAlone(source, keys) {
    const statement = parseStatement(source);
    const { from, to, before, after, opening, checkpoint } = statement;
    if (from > to)
        throw new NotProved(`from is ${from}, after to, ${to}`);
    verifyCheckpoint(statement, keys);
    const tree = treeFrom(checkpoint);
    if (before)
        verifyBefore(before, statement, tree);
    const begin = before === null ? 0 : before.proof.index + 1;
    const { first, last, count } = verifyEntries(source, { statement, tree, begin });
    if (!before && !isZero(opening, first ?? after))
        throw new NotProved(`opening is ${opening}, and before is null`);
    const closing = last?.balance ?? opening;
    if (statement.closing !== closing)
        throw new NotProved(`closing is ${statement.closing}, the entries lead to ${closing}`);
    verifyEnd(statement, { tree, last, end: begin + count });
    const oldRoot = verifyGrowth(statement, { tree, begin, witness: before ?? first ?? after });
    return { ...statement, count, begin, tree, oldRoot };
}
/** Whether an amount is nothing, written with two decimal places or with those of an entry. */
const isZero = (amount, like) => amount === '0.00' || amount === like?.balance.replace(/^-?\d+/, '0').replaceAll(/\d/g, '0');
function verifyBefore(before, { from, opening }, tree) {
    const fail = verifyEntry({ entry: before, name: 'before', tree });
    if (before.at >= from)
        fail(`it is at ${before.at}, not before the period`);
    if (before.balance !== opening)
        fail(`its balance is ${before.balance}, opening is ${opening}`);
}
/** @returns the first and the last entry, null without entries after no other one */
function verifyEntries(source, { statement, tree, begin }) {
    const { from, to, before, entries } = statement;
    let first = null;
    let last = before;
    let count = 0;
    readJournalEntries(new TextReader(source, entries), (entry, place) => {
        const index = begin + count;
        const fail = verifyEntry({ entry, name: `entry ${place}`, tree, index, predecessor: last });
        if (entry.at < from)
            fail(`it is at ${entry.at}, before the period`);
        if (last && entry.at < last.at)
            fail(`it is at ${entry.at}, before ${last.at}`);
        if (entry.at >= to)
            fail(`it is at ${entry.at}, after the period`);
        first ??= entry;
        last = entry;
        count = place;
    });
    return { first: first, last, count };
}
function verifyEnd({ after, to }, { tree, last, end }) {
    if (after) {
        const fail = verifyEntry({ entry: after, name: 'after', tree, index: end, predecessor: last });
        if (after.at < to)
            fail(`it is at ${after.at}, in the period`);
        return;
    }
    if (end !== tree.size)
        throw new NotProved(`after is null, and the entries end at ${end} of ${tree.size}`);
    if (tree.at < to)
        throw new NotProved(`after is null, and the checkpoint is at ${tree.at}, before the end`);
}
