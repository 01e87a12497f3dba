import { defaultAccount, type StatementOf } from '#shared/domain/statements/events.ts';
import {
  importStatement,
  checkStatement,
  type ImportOutcome,
} from '#shared/application/statements/import-statement.ts';
import type { FileError, KnownOfFile } from '#shared/application/statements/files/accounts.ts';
import type { Dialect, DialectOverride } from '#shared/application/statements/files/detect.ts';
import type { FileSource } from '#shared/application/statements/files/source.ts';
import {
  readStatementFile,
  type StatementFileContent,
} from '#shared/application/statements/read-file.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { createIncomingBodies } from '#shared/platform/http/incoming-bodies.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { findCredentialsForm } from '../accounts/bodies.ts';
import { readProviderAccount } from '#shared/application/providers/accounts/command-account.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { fileFaults } from './faults.ts';

/** Of a form's file, which is in the database until it is confirmed. */
export const maxFileBytes = 16 * 1024 * 1024;
/** Of a request's file, which is read from the disk: 100,000 lines with long texts. */
export const mostSpooledBytes = 256 * 1024 * 1024;
/** The content types of a file whose format is detected; browsers and banks use others. */
export const fileType = 'application/octet-stream';
export const fileTypes = [fileType, 'text/csv', 'text/plain', 'application/xml', 'text/xml'];

type StatementFile = { source: FileSource; known: DialectOverride & KnownOfFile };
type StatementInFile = Extract<StatementFileContent, { ok: true }>;

/** The import in force, and whether it is new. */
export type ImportResult = Extract<ImportOutcome, { import: number }>;

/** A rejected file: what is wrong with which lines, the first hundred. */
export class WrongFile extends Problem {
  readonly wrong: readonly FileError[];
  readonly dialect: Dialect;

  constructor(wrong: readonly FileError[], dialect: Dialect) {
    const { detail, errors = [] } = invalidRequest(
      wrong.map(({ line, code, difference, lines }) => ({
        pointer: `/lines/${line}`,
        code: 'field_invalid',
        detail: `line ${line}: ${code}: ${fileFaults[code].en}${named(difference ?? lines)}`,
      })),
    );
    super('invalid_request', { detail, errors: [...errors] });
    this.wrong = wrong;
    this.dialect = dialect;
  }
}

const named = (more: string | number | undefined) => (more === undefined ? '' : ` (${more})`);

/**
 * A file may also be for an account that was removed: its money is still there.
 * @throws Problem not_found if the provider has no such account
 */
export async function requireAccount(
  dependencies: Pick<AdminDependencies, 'directory'>,
  { provider, account }: Pick<StatementOf, 'provider' | 'account'>,
): Promise<void> {
  findCredentialsForm(provider);
  if (account !== defaultAccount) await readProviderAccount(dependencies, { provider, account });
}

/**
 * @throws Problem invalid_request for a day that can have no statement yet, and a name that can
 *   have none
 */
export function requireDay(of: StatementOf): void {
  const refusal = checkStatement(of);
  if (refusal) throw refused(refusal);
}

/** @throws WrongFile */
export async function parseStatementFile(
  of: StatementOf,
  { source, known }: StatementFile,
): Promise<StatementInFile> {
  const file = await readStatementFile(source, of, known);
  if (!file.ok) throw new WrongFile(file.errors, file.dialect);
  return file;
}

/**
 * Imports a file as the statement of a day. @throws WrongFile; Problem invalid_request, and as
 * `settled`
 */
export async function importFile(
  { store, origin }: { store: EventStore; origin: Origin },
  of: StatementOf,
  sent: StatementFile,
): Promise<ImportResult & Pick<StatementInFile, 'dialect' | 'others' | 'notBooked'>> {
  requireDay(of);
  const { lines, balances, ...rest } = await parseStatementFile(of, sent);
  const statement = { of, source: 'file', lines, ...balances } as const;
  const { dialect, others, notBooked } = rest;
  const done = settled(await importStatement({ store, origin }, statement));
  return { ...done, dialect, others, notBooked };
}

/** @throws Problem not_ready if the outcome is unknown; a retry does not import twice */
export function settled(done: ImportOutcome): ImportResult {
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
  bytesPerS: 4 * 1024 * 1024,
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
