import { createPublicKey, verify } from 'node:crypto';
import { emptyRoot, isConsistent, leafHash, rootOfInclusion } from './merkle.js';
/** What does not hold: one line that names the first entry or proof. */
export class NotProved extends Error {
    name = 'NotProved';
}
/**
 * Verifies that the entries are in the signed tree, unchanged and in order, that their sums are
 * right, and that the tree still has all that it had at the previous statement.
 * @returns one line about what was verified
 * @throws NotProved
 */
export function verifyStatements({ statements, previous, keys }) {
    const read = statements.map((statement) => readStatement(statement, keys));
    const [first] = read;
    if (!first)
        throw new NotProved('there is no statement');
    const all = read.flatMap(({ leaves }) => leaves).toSorted((one, other) => one - other);
    if (read.length > 1)
        verifyTogether(read, all);
    for (const { currency, consistency } of read)
        checkSizes(consistency, first, currency);
    const before = previous === undefined ? undefined : readStatement(previous, keys);
    if (before) {
        for (const statement of read)
            verifyContinues(before, statement);
        if (!read.some(({ currency }) => currency === before.currency))
            throw new NotProved(`the previous statement is in ${before.currency}`);
    }
    const { shopId, from, to, checkpoint } = first;
    return [
        `${shopId}: ${all.length} entries from ${from} to ${to} are in the tree of ${checkpoint.size}`,
        ...leftOut(all, before),
        before === undefined ? 'no previous statement was given' : 'nothing before was changed',
    ].join('; ');
}
/** Reads a statement and verifies all that it shows by itself. */
function readStatement(value, keys) {
    const statement = membersOf(value, 'the statement');
    const text = (name) => textOf(statement, name, 'the statement');
    const [shopId, currency] = [text('shop_id'), text('currency')];
    const [from, to] = [text('from'), text('to')];
    if (!(timeOf(from, 'from') <= timeOf(to, 'to')))
        throw new NotProved('from is after to');
    const checkpoint = readCheckpoint(statement['checkpoint'], shopId, keys);
    const entries = listOf(statement['entries'], 'entries');
    const opening = amountOf(text('opening'), 'opening');
    const closing = amountOf(text('closing'), 'closing');
    const leaves = [];
    const state = { balance: opening, reserved: undefined, at: from, leaf: -1 };
    for (const [number, entry] of entries.entries())
        leaves.push(verifyEntry(entry, state, { number: number + 1, to, checkpoint }));
    if (state.balance !== closing)
        throw new NotProved(`closing is ${text('closing')}, the entries add up to ${show(state.balance)}`);
    const consistency = membersOf(statement['consistency'], 'consistency');
    return {
        shopId,
        currency,
        from,
        to,
        opening,
        closing,
        leaves,
        checkpoint,
        consistency: {
            fromSize: countOf(consistency['from_size'], 'consistency.from_size'),
            hashes: hashesOf(consistency['proof'], 'consistency.proof'),
        },
    };
}
function readCheckpoint(value, shopId, keys) {
    const checkpoint = membersOf(value, 'checkpoint');
    const text = (name) => textOf(checkpoint, name, 'checkpoint');
    const size = countOf(checkpoint['tree_size'], 'checkpoint.tree_size');
    const root = bytesOf(text('root'), { length: 32, what: 'checkpoint.root' });
    const signature = bytesOf(text('signature'), { length: 64, what: 'checkpoint.signature' });
    const keyId = text('key_id');
    const known = listOf(membersOf(keys, 'the keys')['keys'], 'keys')
        .map((key) => membersOf(key, 'a key'))
        .find((key) => key['key_id'] === keyId);
    if (!known)
        throw new NotProved(`checkpoint: the key ${keyId} is unknown`);
    const at = timeOf(text('at'), 'checkpoint.at');
    const { valid_from: since, valid_until: until } = known;
    if (at < timeOf(String(since), `valid_from of key ${keyId}`) ||
        (typeof until === 'string' && at > timeOf(until, `valid_until of key ${keyId}`)))
        throw new NotProved(`checkpoint: the key ${keyId} was not valid at ${text('at')}`);
    const key = publicKeyOf(known, keyId);
    const signed = Buffer.from(`${shopId}\n${size}\n${root.toString('base64')}\n`);
    if (!verify(null, signed, key, signature))
        throw new NotProved('checkpoint: the signature does not hold');
    if (size === 0 && !root.equals(emptyRoot))
        throw new NotProved('checkpoint: the root of an empty tree is another one');
    return { size, root };
}
function publicKeyOf({ kty, crv, x }, keyId) {
    const isEd25519 = kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string';
    if (!isEd25519)
        throw new NotProved(`the key ${keyId} is no Ed25519 key`);
    return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
}
/** @returns which leaf the entry is */
function verifyEntry(value, state, { number, to, checkpoint }) {
    const entry = membersOf(value, `entry ${number}`);
    const name = `entry ${number} (${String(entry['entry_id'])})`;
    const fail = (reason) => {
        throw new NotProved(`${name}: ${reason}`);
    };
    const text = (member) => textOf(entry, member, name);
    const { leaf: claimed, proof: given_proof, ...content } = entry;
    const proof = membersOf(given_proof, `${name}: proof`);
    const index = countOf(proof['index'], `${name}: proof.index`);
    const leaf = leafHash(canonicalJson(content));
    if (claimed !== leaf.toString('base64url'))
        fail('its content is not what its leaf is made of');
    if (index <= state.leaf)
        fail(`it is leaf ${index}, and comes after leaf ${state.leaf}`);
    const hashes = hashesOf(proof['hashes'], `${name}: proof.hashes`);
    const root = rootOfInclusion({ index, size: checkpoint.size, leaf, hashes });
    if (!root?.equals(checkpoint.root))
        fail('its proof does not lead to the signed root');
    const at = timeOf(text('at'), `${name}: at`);
    if (at < timeOf(state.at, 'at'))
        fail(`it is at ${text('at')}, before ${state.at}`);
    if (at >= timeOf(to, 'to'))
        fail(`it is at ${text('at')}, after the period`);
    const amount = amountOf(text('amount'), `${name}: amount`);
    const balance = amountOf(text('balance'), `${name}: balance`);
    if (state.balance + amount !== balance)
        fail(`${show(state.balance)} and ${show(amount)} are not ${show(balance)}`);
    const reserved = amountOf(text('reserved'), `${name}: reserved`);
    if (state.reserved !== undefined) {
        const wrong = whyNotReserved(text('kind'), { amount, before: state.reserved, reserved });
        if (wrong !== undefined)
            fail(wrong);
    }
    Object.assign(state, { balance, reserved, at: text('at'), leaf: index });
    return index;
}
/** How each kind of entry moves the reserved funds. */
function whyNotReserved(kind, { amount, before, reserved }) {
    const moved = reserved - before;
    const mismatch = `a ${kind} does not change the reserved amount from ${show(before)} to ${show(reserved)}`;
    if (kind === 'reserve' || kind === 'release')
        return moved === -amount ? undefined : mismatch;
    if (kind === 'capture')
        return moved <= 0n ? undefined : mismatch;
    return moved === 0n ? undefined : mismatch;
}
function checkSizes({ fromSize, hashes }, { checkpoint }, currency) {
    if (fromSize > checkpoint.size)
        throw new NotProved(`consistency of ${currency}: from_size is larger than the tree`);
    const trivial = fromSize === 0 || fromSize === checkpoint.size;
    if (trivial !== (hashes.length === 0))
        throw new NotProved(`consistency of ${currency}: the proof is not of these sizes`);
}
/** Statements of one shop and period: their entries are next to each other in the tree. */
function verifyTogether(statements, all) {
    const [first, ...others] = statements;
    const same = (a, b) => a.shopId === b.shopId &&
        a.from === b.from &&
        a.to === b.to &&
        a.checkpoint.size === b.checkpoint.size &&
        a.checkpoint.root.equals(b.checkpoint.root);
    if (first && others.some((other) => !same(first, other)))
        throw new NotProved('the statements are not of one shop, period and checkpoint');
    for (const [at, leaf] of all.entries()) {
        const before = all[at - 1];
        if (before === undefined || leaf === before + 1)
            continue;
        throw new NotProved(leaf === before ? `leaf ${leaf} is in two entries` : `leaf ${before + 1} is in no entry`);
    }
}
/** What is not known of the leaves from the first one on, or from those of the statement before. */
function leftOut(leaves, before) {
    const [last] = before?.leaves.slice(-1) ?? [];
    const [first] = leaves;
    if (last !== undefined && first !== undefined && first <= last)
        throw new NotProved(`leaf ${first} comes after leaf ${last} of the previous statement`);
    const all = last === undefined ? leaves : [last, ...leaves];
    const missing = all.length === 0 ? 0 : (all.at(-1) ?? 0) - (all[0] ?? 0) + 1 - all.length;
    if (missing === 0)
        return [];
    const missingLeaves = (which) => `leaves ${which} that are not in it: ${missing}, of other currencies or left out`;
    return last === undefined
        ? [`${missingLeaves('between its entries')}: the files of all currencies show which`]
        : [missingLeaves('since the last entry of the previous statement')];
}
/** That a statement begins where an earlier one ended, in a tree that only grew. */
function verifyContinues(before, statement) {
    const { checkpoint, consistency } = statement;
    if (before.shopId !== statement.shopId)
        throw new NotProved(`the previous statement is of ${before.shopId}, not of ${statement.shopId}`);
    if (timeOf(before.to, 'to') !== timeOf(statement.from, 'from'))
        throw new NotProved(`the previous statement ends ${before.to}, this begins ${statement.from}`);
    if (before.currency === statement.currency && before.closing !== statement.opening)
        throw new NotProved(`opening is ${show(statement.opening)}, the previous closing is ${show(before.closing)}`);
    if (before.checkpoint.size !== consistency.fromSize)
        throw new NotProved(`consistency: the proof is from ${consistency.fromSize} entries, the previous statement has ${before.checkpoint.size}`);
    if (!isConsistent({ from: before.checkpoint, to: checkpoint, hashes: consistency.hashes }))
        throw new NotProved('consistency: the tree does not begin with the one of the previous statement');
}
/** RFC 8785. */
function canonicalJson(value) {
    if (Array.isArray(value))
        return `[${value.map(canonicalJson).join(',')}]`;
    if (typeof value !== 'object' || value === null)
        return JSON.stringify(value);
    const members = Object.entries(value)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
}
function membersOf(value, what) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return value;
    throw new NotProved(`${what} is no object`);
}
function listOf(value, what) {
    if (Array.isArray(value))
        return value;
    throw new NotProved(`${what} is no list`);
}
function textOf(members, name, what) {
    const value = members[name];
    if (typeof value === 'string')
        return value;
    throw new NotProved(`${what}: ${name} is no text`);
}
function countOf(value, what) {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
        return value;
    throw new NotProved(`${what} is no count`);
}
function bytesOf(text, { length, what }) {
    const bytes = typeof text === 'string' ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
    // One text stands for the bytes: another one with the same bytes was changed.
    if (bytes.length === length && bytes.toString('base64url') === text)
        return bytes;
    throw new NotProved(`${what} is not ${length} bytes in base64url`);
}
const hashesOf = (value, what) => listOf(value, what).map((hash) => bytesOf(hash, { length: 32, what }));
function timeOf(text, what) {
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(time))
        throw new NotProved(`${what} is no time`);
    return time;
}
/** Decimal with two places, as hundredths. */
function amountOf(text, what) {
    if (/^-?(?:0|[1-9]\d*)\.\d{2}$/.test(text))
        return BigInt(text.replace('.', ''));
    throw new NotProved(`${what} is no amount`);
}
function show(hundredths) {
    const digits = String(hundredths < 0n ? -hundredths : hundredths).padStart(3, '0');
    return `${hundredths < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
