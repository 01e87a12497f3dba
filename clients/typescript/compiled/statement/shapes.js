import { orNull, readConstant, readCount, readDecimal, readEnd, readHash, readHashes, readList, readName, readObject, readOrigin, readSignatureText, readText, readTime, } from './forms.js';
import { TextReader } from './reader.js';
export const readJournalEntry = readObject({
    entry_id: readText,
    operation_id: orNull(readText),
    merchant_operation_id: orNull(readText),
    kind: readName,
    amount: readDecimal,
    reserved: readDecimal,
    balance: readDecimal,
    at: readTime,
    leaf: readHash,
    proof: readObject({ index: readCount, hashes: readHashes }),
});
const readStatementObject = readObject({
    version: readConstant('2'),
    shop_id: readName,
    currency: readName,
    from: readTime,
    to: readTime,
    opening: readDecimal,
    closing: readDecimal,
    before: orNull(readJournalEntry),
    entries: (reader) => {
        reader.peek();
        const { offset } = reader;
        readJournalEntries(reader, () => { });
        return offset;
    },
    after: orNull(readJournalEntry),
    checkpoint: readObject({
        origin: readOrigin,
        tree_size: readCount,
        root: readHash,
        at: readTime,
        key_id: readName,
        signature: readSignatureText,
    }),
    consistency: readObject({ from_size: readCount, proof: readHashes }),
});
/** @throws NotProved if the file is no statement of version 2 */
export function parseStatement(source) {
    const reader = new TextReader(source);
    const statement = readStatementObject(reader, '');
    readEnd(reader);
    return statement;
}
/** The entries, from 1 on, of a file that has been read as a statement. */
export const readJournalEntries = (reader, use) => readList(reader, 'entries', (place) => use(readJournalEntry(reader, `entry ${place}`), place));
const readKey = readObject({
    key_id: readName,
    kty: readConstant('"OKP"'),
    crv: readConstant('"Ed25519"'),
    x: readHash,
    valid_from: readTime,
    valid_until: orNull(readTime),
});
/** The keys by their ids. @throws NotProved if the file has another form */
export function readKeys(source) {
    const reader = new TextReader(source);
    const keys = new Map();
    const readListed = () => readList(reader, 'keys', (place) => {
        const key = readKey(reader, `key ${place}`);
        if (keys.has(key.key_id))
            reader.fail(`key ${place}: ${key.key_id} is there twice`);
        keys.set(key.key_id, key);
    });
    readObject({ keys: readListed })(reader, '');
    readEnd(reader);
    return keys;
}
