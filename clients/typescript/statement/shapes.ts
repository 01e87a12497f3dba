import {
  orNull,
  readConstant,
  readCount,
  readDecimal,
  readEnd,
  readHash,
  readHashes,
  readList,
  readName,
  readObject,
  readOrigin,
  readSignatureText,
  readText,
  readTime,
} from './forms.ts';
import { TextReader } from './reader.ts';
import type { ByteSource } from './source.ts';

export type JournalEntry = {
  /** These three are JSON texts as RFC 8785 writes them, in latin1. */
  entry_id: string;
  operation_id: string | null;
  merchant_operation_id: string | null;
  kind: string;
  amount: string;
  reserved: string;
  balance: string;
  at: string;
  leaf: string;
  proof: { index: number; hashes: Buffer[] };
};

export const readJournalEntry = readObject<JournalEntry>({
  entry_id: readText,
  operation_id: orNull(readText),
  merchant_operation_id: orNull(readText),
  kind: readName,
  amount: readDecimal,
  reserved: readDecimal,
  balance: readDecimal,
  at: readTime,
  leaf: readHash,
  proof: readObject<JournalEntry['proof']>({ index: readCount, hashes: readHashes }),
});

export type StatementCheckpoint = {
  origin: string;
  tree_size: number;
  root: string;
  at: string;
  key_id: string;
  signature: string;
};

type Consistency = { from_size: number; proof: Buffer[] };

export type StatementFile = {
  version: string;
  shop_id: string;
  currency: string;
  from: string;
  to: string;
  opening: string;
  closing: string;
  before: JournalEntry | null;
  /** Where they begin in the file: they are read once more. */
  entries: number;
  after: JournalEntry | null;
  checkpoint: StatementCheckpoint;
  consistency: Consistency;
};

const readStatementObject = readObject<StatementFile>({
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
    readJournalEntries(reader, () => {});
    return offset;
  },
  after: orNull(readJournalEntry),
  checkpoint: readObject<StatementCheckpoint>({
    origin: readOrigin,
    tree_size: readCount,
    root: readHash,
    at: readTime,
    key_id: readName,
    signature: readSignatureText,
  }),
  consistency: readObject<Consistency>({ from_size: readCount, proof: readHashes }),
});

/** @throws NotProved if the file is no statement of version 2 */
export function parseStatement(source: ByteSource): StatementFile {
  const reader = new TextReader(source);
  const statement = readStatementObject(reader, '');
  readEnd(reader);
  return statement;
}

/** The entries, from 1 on, of a file that has been read as a statement. */
export const readJournalEntries = (
  reader: TextReader,
  use: (entry: JournalEntry, place: number) => void,
): void =>
  readList(reader, 'entries', (place) => use(readJournalEntry(reader, `entry ${place}`), place));

export type Key = {
  key_id: string;
  kty: string;
  crv: string;
  x: string;
  valid_from: string;
  valid_until: string | null;
};

const readKey = readObject<Key>({
  key_id: readName,
  kty: readConstant('"OKP"'),
  crv: readConstant('"Ed25519"'),
  x: readHash,
  valid_from: readTime,
  valid_until: orNull(readTime),
});

/** The keys by their ids. @throws NotProved if the file has another form */
export function readKeys(source: ByteSource): Map<string, Key> {
  const reader = new TextReader(source);
  const keys = new Map<string, Key>();
  const readListed = () =>
    readList(reader, 'keys', (place) => {
      const key = readKey(reader, `key ${place}`);
      if (keys.has(key.key_id)) reader.fail(`key ${place}: ${key.key_id} is there twice`);
      keys.set(key.key_id, key);
    });
  readObject<{ keys: void }>({ keys: readListed })(reader, '');
  readEnd(reader);
  return keys;
}
