import type { Context } from 'hono';
import { z } from 'zod';
import {
  countFindings,
  decodeStatementCursor,
  findFinding,
  findStatementDay,
  listFindings,
  listStatementDays,
  type StatementFinding,
} from '#projections/statements/query.ts';
import { findLedgerPosition } from '#projections/views/ledger-position.ts';
import { closeStatementFinding } from '#shared/application/statements/close-finding.ts';
import { decimals, delimiterNames, formats } from '#shared/application/statements/files/detect.ts';
import { encodings } from '#shared/application/statements/files/encoding.ts';
import { readImports } from '#shared/application/statements/read-imports.ts';
import { balanceSchema, findingDecisions } from '#shared/domain/statements/events.ts';
import { readChunks, readJson } from '#shared/platform/http/body.ts';
import { requireAnyContentType } from '#shared/platform/http/content-type.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { withSpool, type Spool } from '#shared/platform/http/spool.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, requireTokenStill, type AdminApp } from '../authentication.ts';
import { fromDatabase } from '#shared/platform/database/from-database.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { noteText, boundedText } from '#shared/platform/http/texts.ts';
import { readCursor, readQuery } from '../query.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { fetchMissingStatements, importFromProvider } from './fetch.ts';
import {
  fileTypes,
  incomingFiles,
  importFile,
  mostSpooledBytes,
  oneFile,
  requireAccount,
} from './import-file.ts';
import { listMissing } from './missing.ts';
import {
  parseAccountPath,
  findingFilter,
  pageParameters,
  statementFilter,
  parseStatementPath,
} from './parameters.ts';
import { findingAmounts, viewDay, viewFinding, viewImports, viewPosition } from './view.ts';

const daysQuery = statementFilter.extend(pageParameters);
const findingsQuery = findingFilter.extend(pageParameters);
const ofDayQuery = findingFilter.pick({ finding: true, status: true }).extend(pageParameters);
export const closeFindingBody = z.strictObject({
  finding_id: boundedText(600),
  decision: z.enum(findingDecisions),
  note: noteText,
  /** The amount that the person saw, null if none: if it differs now, nothing is closed. */
  amount: balanceSchema.nullable().optional(),
  counted_amount: balanceSchema.nullable().optional(),
});
const balance = balanceSchema.optional();
/** What is known of the file: it counts instead of what is detected. */
export const dialectSchema = z.strictObject({
  account_number: boundedText(64).optional(),
  format: z.enum(formats).optional(),
  encoding: z.enum(encodings).optional(),
  delimiter: z.enum(delimiterNames).optional(),
  decimal: z.enum(decimals).optional(),
});
export const fileQuery = dialectSchema.extend({
  opening_balance: balance,
  closing_balance: balance,
});
const emptyQuery = z.strictObject({});
const statement = '/admin/v1/statements/:provider/:account/:currency/:day';

type PageQuery = { cursor?: string | undefined; limit: number };

/** A list's query, as the read models take it. */
const toPage = <Query extends PageQuery>({ cursor, limit, ...filter }: Query) => ({
  filter,
  cursor: readCursor(cursor, decodeStatementCursor),
  limit,
});

/** Providers' statements, their findings, and people's notes on them (R22). */
export function registerStatementRoutes(app: AdminApp, dependencies: AdminDependencies): void {
  const { db, matching, store } = dependencies;
  app.get('/admin/v1/statements', async (c) => {
    const page = toPage(readQuery(c, daysQuery));
    const { days, nextCursor } = await fromDatabase(listStatementDays(matching, page));
    return c.json({ statements: days.map(viewDay), next_cursor: nextCursor });
  });

  app.get('/admin/v1/statement-findings', async (c) => {
    const page = toPage(readQuery(c, findingsQuery));
    const { findings, nextCursor } = await fromDatabase(listFindings(matching, page));
    return c.json({ findings: findings.map(viewFinding), next_cursor: nextCursor });
  });

  app.get(statement, async (c) => {
    const of = parseStatementPath(c.req.param());
    const { filter: ofKind, ...page } = toPage(readQuery(c, ofDayQuery));
    const { day, ...account } = of;
    const filter = { ...ofKind, ...account, from: day, to: day };
    const statementDay = await fromDatabase(findStatementDay(matching, of));
    if (!statementDay) throw new Problem('not_found');
    const [counts, position, imports] = await Promise.all([
      fromDatabase(countFindings(matching, of)),
      fromDatabase(findLedgerPosition(db, of)),
      fromStore(readImports(store, of)),
    ]);
    const { findings, nextCursor } = await fromDatabase(
      listFindings(matching, { ...page, filter }),
    );
    return c.json({
      ...viewDay(statementDay),
      ...viewPosition(position),
      ...viewImports(imports),
      kinds: counts,
      findings: findings.map(viewFinding),
      next_cursor: nextCursor,
    });
  });

  app.post(`${statement}/close-finding`, async (c) => {
    const of = parseStatementPath(c.req.param());
    const {
      finding_id: findingId,
      decision,
      note,
      ...shownAmounts
    } = validate(closeFindingBody, await readJson(c));
    const finding = await fromDatabase(findFinding(matching, of, findingId));
    if (finding && isAnother(finding, shownAmounts)) throw new Problem('finding_changed');
    const command = { of, findingId, decision, note, finding: finding && findingAmounts(finding) };
    const done = await fromStore(
      closeStatementFinding({ store, origin: operatorOrigin(c) }, command),
    );
    if (done.outcome === 'undecided') throw notDecided(done.cause);
    if (done.outcome === 'refused') throw new Problem('not_found', { detail: refusals[done.code] });
    return c.json({ ...of, finding_id: findingId, status: 'closed', decision, note });
  });

  app.get('/admin/v1/missing-statements', async (c) => {
    readQuery(c, emptyQuery);
    return c.json(await listMissing(dependencies, Date.now()));
  });

  registerImports(app, dependencies);
}

type Amounts = Pick<z.infer<typeof closeFindingBody>, 'amount' | 'counted_amount'>;
const isAnother = (finding: StatementFinding, shownAmounts: Amounts): boolean =>
  (['amount', 'counted_amount'] as const).some(
    (name) => shownAmounts[name] !== undefined && shownAmounts[name] !== finding[name],
  );

async function spoolBody(
  c: Context,
  spool: Pick<Spool, 'write'>,
  noteBytes: (count: number) => void,
): Promise<void> {
  for await (const chunk of readChunks(c, mostSpooledBytes)) {
    noteBytes(chunk.byteLength);
    await spool.write(chunk);
  }
}

/** A statement is uploaded as a file, or fetched from the provider. */
function registerImports(app: AdminApp, dependencies: AdminDependencies): void {
  const { store } = dependencies;
  app.post(`${statement}/import`, async (c) => {
    const of = parseStatementPath(c.req.param());
    const {
      opening_balance: openingBalance,
      closing_balance: closingBalance,
      account_number: accountNumber,
      ...dialect
    } = readQuery(c, fileQuery);
    requireAnyContentType(c, fileTypes);
    await requireAccount(dependencies, of);
    const sentBy = { token: c.get('operator').tokenId };
    const known = { ...dialect, openingBalance, closingBalance, accountNumber };
    const imported = await withSpool(async (spool) => {
      await incomingFiles.read(
        c,
        () => sentBy,
        (noteBytes) => spoolBody(c, spool, noteBytes),
      );
      await requireTokenStill(dependencies, c);
      const ports = { store, origin: operatorOrigin(c) };
      return oneFile(() => importFile(ports, of, { source: spool.read, known }));
    });
    return c.json({
      ...of,
      import: imported.import,
      lines: imported.lines,
      outcome: imported.outcome,
      ...imported.dialect,
      not_booked: imported.notBooked,
      left_out: imported.others.map(({ number, currency = null, lines }) => ({
        account_number: number,
        currency,
        lines,
      })),
    });
  });

  app.post(`${statement}/fetch`, async (c) => {
    const of = parseStatementPath(c.req.param());
    return c.json({ ...of, ...(await importFromProvider(dependencies, of, operatorOrigin(c))) });
  });

  app.post('/admin/v1/missing-statements/:provider/:account/:currency/fetch', async (c) => {
    const of = parseAccountPath(c.req.param());
    const result = await fetchMissingStatements(dependencies, of, {
      origin: operatorOrigin(c),
      nowMs: Date.now(),
    });
    return c.json({ ...of, ...result });
  });
}

const refusals = {
  no_statement: 'no statement of that day was imported',
  unknown_finding: 'the statement has no finding by that id now',
  note_missing: 'a note is needed',
} as const;
