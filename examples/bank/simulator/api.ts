import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import type { AppEnv } from '#shared/platform/http/app.ts';
import { readBytes } from '#shared/platform/http/body.ts';
import { toProblem, problems } from '#shared/platform/http/problems.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import {
  bankContentType,
  bankOrderSchema,
  decodeRecords,
  encodeRecords,
  type BankRecord,
} from '#examples/bank/connector/wire.ts';
import type { Bank } from './bank.ts';
import type { BankAccountRow } from './store.ts';

const maxOrderBytes = 16 * 1024;
const pageSchema = z.object({
  day: z.iso.date(),
  page: z
    .string()
    .regex(/^[1-9]\d{0,5}$/)
    .default('1')
    .transform(Number),
});

class BankRefusal extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: string;
  constructor(status: ContentfulStatusCode, code: string, message = code) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The bank over HTTP. `stopping`: requests whose answer is withheld end. */
export function createBankApi(
  bank: Bank,
  { stopping, logger }: { stopping: AbortSignal; logger: Logger },
) {
  const app = new Hono<AppEnv>();
  const leaves = (c: Context) => AbortSignal.any([c.req.raw.signal, stopping]);

  app.onError((error, c) => {
    if (error instanceof BankRefusal) {
      const { status, code, message } = error;
      return answer(c, [{ result: 'error', code, text: message }], status);
    }
    const { problem, fault } = toProblem(error);
    if (fault) logger.error({ err: fault.err }, fault.what);
    const { code, detail } = problem;
    return answer(c, [{ result: 'error', code, text: detail }], problems[code].status);
  });
  app.use(async (c, next) => {
    const { slow_ms: slowMs, lose_reads: loseReads } = bank.behaviour();
    if (slowMs > 0) await sleep(slowMs, undefined, { signal: leaves(c) }).catch(() => {});
    if (c.req.method === 'GET' && Math.random() < loseReads) await silence(leaves(c));
    await next();
  });

  app.get('/accounts/:account', (c) =>
    answer(c, [bank.describe(accountFor(c, bank, c.req.param('account')))]),
  );
  app.post('/transfers', async (c) => {
    const [body, ...more] = decodeRecords(await readLine(c)) ?? [];
    const parsed = bankOrderSchema.safeParse(more.length === 0 ? body : undefined);
    const { account } = accountFor(c, bank, body?.['account'] ?? '');
    if (!parsed.success) throw new BankRefusal(400, 'invalid', listFaultyFields(parsed.error));
    const ordered = bank.order({ ...parsed.data, account });
    switch (ordered.outcome) {
      case 'entered':
        return answer(c, [{ result: 'entered', ...ordered.transfer }]);
      case 'rejected':
        return answer(c, [{ result: 'rejected', code: ordered.code }]);
      case 'silence':
        return silence(leaves(c));
    }
  });
  app.get('/transfers', (c) => {
    const { account } = accountFor(c, bank, c.req.query('account') ?? '');
    const { day, page } = read(pageSchema, c.req.query());
    const { transfers, more } = bank.page(account, { day, page });
    const head = { account, day, page: String(page), lines: String(transfers.length) };
    return answer(c, [{ ...head, more: more ? 'yes' : 'no' }, ...transfers]);
  });
  app.get('/transfers/:id', (c) => {
    const { account } = accountFor(c, bank, c.req.query('account') ?? '');
    const transfer = bank.find(account, c.req.param('id'));
    if (!transfer) throw new BankRefusal(404, 'no_such_transfer');
    return answer(c, transfer);
  });
  app.get('/statements', (c) => {
    const account = accountFor(c, bank, c.req.query('account') ?? '');
    return answer(c, bank.statement(account, read(pageSchema, c.req.query())));
  });
  return app;
}

/** Form-encoded text, a record a line. */
function answer(
  c: Context,
  records: readonly BankRecord[],
  status: ContentfulStatusCode = 200,
): Response {
  return c.body(encodeRecords(records), status, {
    'content-type': `${bankContentType}; charset=utf-8`,
  });
}

/** Never answers: the caller gives up, or the service stops. */
async function silence(leaves: AbortSignal): Promise<never> {
  if (!leaves.aborted) await new Promise((resolve) => leaves.addEventListener('abort', resolve));
  throw new BankRefusal(503, 'stopping');
}

/** @throws Refused where the password of the request is not the account's */
function accountFor(c: Context, bank: Bank, account: string): BankAccountRow {
  const [, credentials = ''] = /^Basic +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
  const [login, ...password] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  const owner = bank.accountOf(password.join(':'), account);
  if (!owner || login !== account)
    throw new BankRefusal(401, 'unauthorized', 'account and key do not fit');
  return owner;
}

async function readLine(c: Context): Promise<Uint8Array> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== bankContentType) throw new BankRefusal(415, 'not_a_form', `send ${bankContentType}`);
  const body = await readBytes(c, maxOrderBytes);
  // A form as programs send it ends without a newline.
  return body.at(-1) === 10 ? body : Buffer.concat([body, Buffer.from('\n')]);
}

function read<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw new BankRefusal(400, 'invalid', listFaultyFields(parsed.error));
  return parsed.data;
}

const listFaultyFields = ({ issues }: z.ZodError): string =>
  [...new Set(issues.flatMap((each) => ('keys' in each ? each.keys : each.path.join('.'))))].join(
    ', ',
  );
