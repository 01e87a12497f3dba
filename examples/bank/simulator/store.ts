import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { openSandboxDatabase } from '#services/sandbox-provider/store/database.ts';
import { behaviourSchema, type Behaviour } from './behaviour.ts';
import { differenceSchema, type StatementDifference } from './statement.ts';
import type { Transfer } from './transfer.ts';

const schema = `
CREATE TABLE IF NOT EXISTS accounts (
  account TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  key_sha256 TEXT NOT NULL,
  initial TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS accounts_key ON accounts (key_sha256);
-- Amounts are text: they may exceed the integers that JavaScript numbers hold exactly.
CREATE TABLE IF NOT EXISTS transfers (
  seq INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  direction TEXT NOT NULL,
  amount TEXT NOT NULL,
  party TEXT NOT NULL,
  purpose TEXT NOT NULL,
  enters_ms INTEGER NOT NULL,
  books_ms INTEGER,
  rejected_ms INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS transfers_entry ON transfers (account, enters_ms, seq);
-- Which transfers take back the money of which.
CREATE TABLE IF NOT EXISTS returns (seq INTEGER PRIMARY KEY, of_seq INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS returns_of ON returns (of_seq);
CREATE TABLE IF NOT EXISTS differences (id INTEGER PRIMARY KEY, difference TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS behaviour (id INTEGER PRIMARY KEY CHECK (id = 1), behaviour TEXT NOT NULL) STRICT;
`;

export type BankAccountRow = {
  account: string;
  holder: string;
  keySha256: string;
  initial: bigint;
};

/** The bank's state, in a file below `folder`, or in memory without one. */
export function openBankStore(folder?: string) {
  const { db, transaction, close } = openSandboxDatabase(folder, { file: 'bank.db', schema });
  return {
    transaction,
    close,
    accounts: createAccounts(db),
    transfers: createTransfers(db),
    differences: createDifferences(db),
    behaviour: createBehaviour(db),
  };
}

function createAccounts(db: DatabaseSync) {
  const put =
    db.prepare(`INSERT INTO accounts (account, holder, key_sha256, initial) VALUES (?, ?, ?, ?)
    ON CONFLICT (account) DO UPDATE SET holder = excluded.holder, key_sha256 = excluded.key_sha256`);
  const get = db.prepare('SELECT * FROM accounts WHERE account = ?');
  return {
    put: ({ account, holder, keySha256, initial }: BankAccountRow) =>
      void put.run(account, holder, keySha256, String(initial)),
    get: (account: string): BankAccountRow | undefined => {
      const row = get.get(account);
      return row && toAccount(row);
    },
  };
}

function createTransfers(db: DatabaseSync) {
  const insert = db.prepare(`INSERT INTO transfers
    (account, direction, amount, party, purpose, enters_ms, books_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const update = db.prepare('UPDATE transfers SET books_ms = ?, rejected_ms = ? WHERE seq = ?');
  const takeBack = db.prepare('INSERT INTO returns (seq, of_seq) VALUES (?, ?)');
  const select = 'SELECT transfers.*, of_seq FROM transfers LEFT JOIN returns USING (seq)';
  const get = db.prepare(`${select} WHERE seq = ?`);
  const returning = db.prepare(`${select} WHERE of_seq = ? ORDER BY seq`);
  const entered = db.prepare(`${select} WHERE account = ? AND enters_ms >= ? AND enters_ms < ?
    ORDER BY enters_ms, seq LIMIT ? OFFSET ?`);
  const all = db.prepare(`${select} WHERE account = ? ORDER BY enters_ms, seq`);
  const withPurpose = db.prepare(`${select} WHERE instr(purpose, ?) > 0 ORDER BY seq`);
  return {
    add: (transfer: Omit<Transfer, 'seq'>): Transfer => {
      const { account, direction, amount, party, purpose, entersMs, booksMs = null } = transfer;
      const added = insert.run(
        account,
        direction,
        String(amount),
        party,
        purpose,
        entersMs,
        booksMs,
      );
      const seq = Number(added.lastInsertRowid);
      if (transfer.returns !== undefined) takeBack.run(seq, transfer.returns);
      return { ...transfer, seq };
    },
    change: ({ seq, booksMs, rejectedMs }: Transfer) =>
      void update.run(booksMs ?? null, rejectedMs ?? null, seq),
    get: (seq: number): Transfer | undefined => {
      const row = get.get(seq);
      return row && toTransfer(row);
    },
    /** The transfers that return the money of this one. */
    returning: (seq: number): Transfer[] => returning.all(seq).map(toTransfer),
    /** The transfers that entered between two times, in that order. */
    entered: (
      account: string,
      {
        fromMs,
        toMs,
        limit,
        offset,
      }: { fromMs: number; toMs: number; limit: number; offset: number },
    ): Transfer[] => entered.all(account, fromMs, toMs, limit, offset).map(toTransfer),
    all: (account: string): Transfer[] => all.all(account).map(toTransfer),
    withPurpose: (part: string): Transfer[] => withPurpose.all(part).map(toTransfer),
  };
}

function createDifferences(db: DatabaseSync) {
  const all = db.prepare('SELECT difference FROM differences ORDER BY id');
  const plant = db.prepare('INSERT INTO differences (difference) VALUES (?)');
  const clear = db.prepare('DELETE FROM differences');
  return {
    all: (): StatementDifference[] =>
      all.all().map((row) => differenceSchema.parse(JSON.parse(String(row['difference'])))),
    plant: (difference: StatementDifference) => void plant.run(JSON.stringify(difference)),
    clear: () => void clear.run(),
  };
}

function createBehaviour(db: DatabaseSync) {
  const get = db.prepare('SELECT behaviour FROM behaviour');
  const set = db.prepare(`INSERT INTO behaviour (id, behaviour) VALUES (1, ?)
    ON CONFLICT (id) DO UPDATE SET behaviour = excluded.behaviour`);
  return {
    get: (): Behaviour =>
      behaviourSchema.parse(JSON.parse(String(get.get()?.['behaviour'] ?? '{}'))),
    set: (behaviour: Behaviour) => void set.run(JSON.stringify(behaviour)),
  };
}

export type BankStore = ReturnType<typeof openBankStore>;

type Row = Record<string, SQLOutputValue>;

const toAccount = (row: Row): BankAccountRow => ({
  account: String(row['account']),
  holder: String(row['holder']),
  keySha256: String(row['key_sha256']),
  initial: BigInt(String(row['initial'])),
});

const toTransfer = (row: Row): Transfer => ({
  seq: Number(row['seq']),
  account: String(row['account']),
  direction: row['direction'] === 'in' ? 'in' : 'out',
  amount: BigInt(String(row['amount'])),
  party: String(row['party']),
  purpose: String(row['purpose']),
  entersMs: Number(row['enters_ms']),
  booksMs: readNumber(row['books_ms']),
  rejectedMs: readNumber(row['rejected_ms']),
  returns: readNumber(row['of_seq']),
});

const readNumber = (value: SQLOutputValue | undefined) =>
  typeof value === 'number' ? value : undefined;
