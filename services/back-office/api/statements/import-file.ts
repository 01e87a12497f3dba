import { defaultAccount, type StatementOf } from '#shared/domain/statements/events.ts';
import {
  importStatement,
  refusalOf,
  type ImportOutcome,
} from '#shared/application/statements/import-statement.ts';
import type { Dialect, DialectOverride } from '#shared/application/statements/files/detect.ts';
import {
  readStatementFile,
  type FileError,
  type ReadFile,
} from '#shared/application/statements/read-file.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createIncomingBodies } from '#shared/platform/http/incoming-bodies.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import type { Dependencies } from '../dependencies.ts';
import { formOf } from '../accounts/bodies.ts';
import { readAccount } from '../accounts/command.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { fileFaults } from './faults.ts';

/** Enough for a file of a hundred thousand lines. */
export const maxFileBytes = 16 * 1024 * 1024;
/** The content types of a file whose format is detected; browsers and banks use others. */
export const fileType = 'application/octet-stream';
export const fileTypes = [fileType, 'text/csv', 'text/plain', 'application/xml', 'text/xml'];

type StatementFile = {
  bytes: Uint8Array;
  openingBalance?: string | undefined;
  closingBalance?: string | undefined;
  dialect?: DialectOverride;
};

/** The import in force, and whether it is new. */
export type Imported = Extract<ImportOutcome, { import: number }>;

/** A rejected file: what is wrong with which lines, the first hundred. */
export class WrongFile extends Problem {
  readonly wrong: readonly FileError[];
  readonly dialect: Dialect;

  constructor(wrong: readonly FileError[], dialect: Dialect) {
    const { detail, errors = [] } = invalidRequest(
      wrong.map(({ line, code }) => ({
        pointer: `/lines/${line}`,
        code: 'field_invalid',
        detail: `line ${line}: ${code}: ${fileFaults[code].en}`,
      })),
    );
    super('invalid_request', { detail, errors: [...errors] });
    this.wrong = wrong;
    this.dialect = dialect;
  }
}

/**
 * A file may also be for an account that was removed: its money is still there.
 * @throws Problem not_found if the provider has no such account
 */
export async function requireAccount(
  dependencies: Pick<Dependencies, 'directory'>,
  { provider, account }: Pick<StatementOf, 'provider' | 'account'>,
): Promise<void> {
  formOf(provider);
  if (account !== defaultAccount) await readAccount(dependencies, { provider, account });
}

/**
 * @throws Problem invalid_request for a day that can have no statement yet, and a name that can
 *   have none
 */
export function requireDay(of: StatementOf): void {
  const refusal = refusalOf(of);
  if (refusal) throw refused(refusal);
}

/**
 * The content of a file, with the balances that a person gave instead of its own.
 * @throws WrongFile
 */
export async function readFile(
  of: StatementOf,
  { bytes, openingBalance, closingBalance, dialect }: StatementFile,
): Promise<Extract<ReadFile, { ok: true }>> {
  const file = await readStatementFile(bytes, of, dialect);
  if (!file.ok) throw new WrongFile(file.errors, file.dialect);
  const { balances } = file;
  return {
    ...file,
    balances: {
      openingBalance: openingBalance ?? balances.openingBalance,
      closingBalance: closingBalance ?? balances.closingBalance,
    },
  };
}

/**
 * Imports a file as the statement of a day. @throws WrongFile; Problem invalid_request, and as
 * `settled`
 */
export async function importFile(
  { store, origin }: { store: EventStore; origin: Origin },
  of: StatementOf,
  sent: StatementFile,
): Promise<Imported & { dialect: Dialect }> {
  requireDay(of);
  const { lines, balances, dialect } = await readFile(of, sent);
  const statement = { of, source: 'file', lines, ...balances } as const;
  return { ...settled(await importStatement({ store, origin }, statement)), dialect };
}

/** @throws Problem not_ready if the outcome is unknown; a retry does not import twice */
export function settled(done: ImportOutcome): Imported {
  if (done.outcome === 'refused') throw refused(done.code);
  if (done.outcome === 'undecided') throw notDecided(done.cause);
  if (done.outcome === 'busy')
    throw new Problem('not_ready', {
      detail: 'another import of this statement is in progress: retry',
    });
  return done;
}

const refusals = {
  day_not_over: {
    pointer: '/day',
    detail: 'the day (UTC) is not over: its statement would be incomplete',
  },
  name_invalid: {
    pointer: '/account',
    detail: 'the name of a provider or an account can not contain a dot',
  },
} as const;

const refused = (code: keyof typeof refusals) => invalidRequest([{ code, ...refusals[code] }]);

/**
 * Limits on files being uploaded: slow senders don't block others, and all files together have
 * bounded memory.
 */
const fileBodyLimits = {
  capacity: { total: 4, perOwner: { token: 2 } },
  withinMs: 30_000,
};

/**
 * Runs one job at a time, because it takes memory and time that other requests need.
 * @throws Problem not_ready while another one is running
 */
function createAlone(detail: string) {
  let running = false;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running) throw new Problem('not_ready', { detail });
    running = true;
    try {
      return await work();
    } finally {
      running = false;
    }
  };
}

/** One for the process: the API and the console share it. */
export const incomingFiles = createIncomingBodies(fileBodyLimits);
export const oneFile = createAlone('another file is being imported: retry later');
export const oneRequest = createAlone('another statement is being requested: retry later');
