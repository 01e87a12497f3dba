import { createPublicKey, verify } from 'node:crypto';
import { emptyTreeRoot } from './merkle.js';
import { NotProved } from './reader.js';
/**
 * Verifies that a key that was valid at the time of a statement's checkpoint signed it, for this
 * shop and currency.
 * @throws NotProved
 */
export function verifyCheckpoint(statement, keys) {
    const { origin, tree_size: size, root, at, key_id: id, signature } = statement.checkpoint;
    const fail = (reason) => {
        throw new NotProved(`checkpoint: ${reason}`);
    };
    const ledger = `${statement.shop_id}/${statement.currency}`;
    if (origin !== ledger)
        fail(`it is of ${origin}, the statement of ${ledger}`);
    const key = keys.get(id) ?? fail(`the key ${id} is unknown`);
    if (at < key.valid_from || (key.valid_until !== null && at > key.valid_until))
        fail(`the key ${id} was not valid at ${at}`);
    const bytes = Buffer.from(root, 'base64url');
    const signed = Buffer.from(`${origin}\n${size}\n${bytes.toString('base64')}\n${at}\n`);
    const { x } = key;
    if (isWeak(x))
        fail(`the key ${id} is of no use: anybody can sign with it`);
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    if (!verify(null, signed, publicKey, Buffer.from(signature, 'base64url')))
        fail('the signature does not hold');
    if (size === 0 && !bytes.equals(emptyTreeRoot))
        fail('the root of an empty tree is another one');
}
const prime = 2n ** 255n - 19n;
const ordinateOfOrder8 = 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
/** Of the points of a small order: with such a key a signature holds for any text. */
const weakOrdinates = new Set([0n, 1n, prime - 1n, ordinateOfOrder8, prime - ordinateOfOrder8]);
/** Whether a key is such a point, or is written in another way than the only one (RFC 8032). */
function isWeak(x) {
    const bytes = Buffer.from(Buffer.from(x, 'base64url').toReversed());
    const ordinate = BigInt(`0x${bytes.toString('hex')}`) % 2n ** 255n;
    return ordinate >= prime || weakOrdinates.has(ordinate);
}
