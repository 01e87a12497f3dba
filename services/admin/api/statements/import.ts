import { defaultAccount, type StatementOf } from '#shared/domain/statements/events.ts';
import { importStatement, refusalOf, type ImportOutcome } from '#shared/application/statements/import.ts';
import { readStatementFile } from '#shared/application/statements/read-file.ts';
import type { Origin } from '#shared/application/operations/origin.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { ArrivalLimits } from '#shared/platform/http/arrivals.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import type { Dependencies } from '../../dependencies.ts';
import { formOf } from '../accounts/bodies.ts';
import { readAccount } from '../accounts/command.ts';
import { notDecided } from '../setup/change.ts';

export type StatementFile = {
  bytes: Uint8Array;
  openingBalance?: string | undefined;
  closingBalance?: string | undefined;
};

/** What became of a file: the import that counts now, and whether it is a new one. */
export type ImportedFile = Extract<ImportOutcome, { import: number }>;

/**
 * A file may also be of an account that was removed, or that the environment has no more: its money is still there.
 * @throws Problem not_found where the provider has no account of this name
 */
export async function requireAccount(
  dependencies: Pick<Dependencies, 'directory'>,
  { provider, account }: StatementOf,
): Promise<void> {
  formOf(provider);
  if (account !== defaultAccount) await readAccount(dependencies, { provider, account });
}

/**
 * Imports a file as the statement of a day. @throws Problem invalid_request with each wrong line, by its number;
 *   not_ready while it is not known whether it is imported: the same file again is no second import
 */
export async function importFile(
  { store, origin }: { store: EventStore; origin: Origin },
  of: StatementOf,
  { bytes, openingBalance, closingBalance }: StatementFile,
): Promise<ImportedFile> {
  const refusal = refusalOf(of);
  if (refusal) throw refused(refusal);
  const file = await readStatementFile(piecesOf(bytes), of);
  if (!file.ok) {
    throw invalidRequest(
      file.errors.map(({ line, code }) => ({
        pointer: `/lines/${line}`,
        code: 'field_invalid',
        detail: `line ${line}: ${code}`,
      })),
    );
  }
  const given = { of, source: 'file', lines: file.lines, openingBalance, closingBalance } as const;
  const done = await importStatement({ store, origin }, given);
  if (done.outcome === 'refused') throw refused(done.code);
  if (done.outcome === 'undecided') throw notDecided(done.cause);
  if (done.outcome === 'busy')
    throw new Problem('not_ready', {
      detail: 'another import of this statement is under way: send it again',
    });
  return done;
}

const refusals = {
  day_not_over: { pointer: '/day', detail: 'the day (UTC) is not over: its statement would not be whole' },
  name_invalid: { pointer: '/account', detail: 'a provider or an account has no dot in its name' },
} as const;

const refused = (code: keyof typeof refusals) => invalidRequest([{ code, ...refusals[code] }]);

/**
 * Files that are on their way: those of slow senders keep no other's waiting, and are of so much memory together. `sender`
 * is a token.
 */
export const fileArrivals: ArrivalLimits = {
  room: { total: 4, ofOne: { sender: 2, shop: 4, address: 4 } },
  withinMs: 30_000,
};

/**
 * Runs one work at a time, since a file takes memory and time of a process that others need too.
 * What it returns @throws Problem not_ready while another one is under way
 */
export function createAlone() {
  let running = false;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running) throw new Problem('not_ready', { detail: 'another file is being imported: send it again' });
    running = true;
    try {
      return await work();
    } finally {
      running = false;
    }
  };
}

const pieceBytes = 64 * 1024;

/** In pieces, so that the loop has its turn between them: a large file must not hold up others' payments. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
