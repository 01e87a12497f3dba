import { inject } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import type { Role } from '#shared/domain/operator/events.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createExports } from '#shared/platform/csv/exports.ts';
import { createDirectory, type Directory } from '#shared/application/directory/directory.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { ErasableEventStore } from '#shared/platform/event-store/index.ts';
import { createMemberList } from '#shared/application/members/members.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { listen } from '#shared/platform/http/serve.ts';
import { createAdminApi } from '../app.ts';
import { fixedToken } from '../api/authentication.ts';
import type { AdminDatabase, AdminDb } from '../api/database.ts';
import type { AdminDependencies } from '../api/dependencies.ts';
import { renderUnread } from '../console/frame.ts';
import { createTokenRegistry } from '../api/tokens/registry.ts';
import { testAccessDependencies } from './edge.ts';

export const tokens = {
  admin: 'admin-token-of-the-tests',
  operator: 'operator-token-of-the-tests',
  auditor: 'auditor-token-of-the-tests',
} as const;

export type Body = Readonly<Record<string, unknown>>;
/** The answer to a rejected request, to be matched. */
export const problem = (status: number, code: string) => ({ status, body: { code } });

type Answer<Content = Body> = { status: number; body: Content; headers: Headers };
type RequestOptions = {
  body?: unknown;
  token?: string | undefined;
  headers?: Record<string, string>;
};

export type TestAdmin = {
  port: number;
  store: ErasableEventStore;
  db: AdminDb;
  directory: Directory;
  ledgers: Ledgers;
  /** Sends `PUT /admin/v1…` with the admin's token by default; with `undefined`, without one. */
  call<Content = Body>(request: string, options?: RequestOptions): Promise<Answer<Content>>;
  newMerchant(name: string): Promise<string>;
  /** A shop of a new merchant of the same name. */
  newShop(name?: string, settings?: object): Promise<string>;
  /** The same, with a webhook whose endpoint never responds. */
  newShopWithWebhook(name?: string): Promise<string>;
  /** Issues a token with the admin's token by default. */
  issueToken(
    name: string,
    role: Role,
    options?: { token?: string },
  ): Promise<{ token: string; token_id: string }>;
  stop(): Promise<void>;
};

/** The stores that test files share. */
const sharedStores = () => ({
  eventStoreUrl: inject('eventStoreUrl'),
  databaseUrl: inject('databaseUrl'),
});

/** The admin API of a test file that needs no read models, on the shared stores. */
export const useAdmin = (more: Partial<AdminDependencies> = {}): TestAdmin =>
  forFile(() => startAdmin(sharedStores(), more));

/** The admin API on a free port, on a real event store. */
export async function startAdmin(
  urls: { eventStoreUrl: string; databaseUrl: string },
  more: Partial<AdminDependencies> = {},
): Promise<TestAdmin> {
  const store = connectEventStore(urls.eventStoreUrl);
  const db = connectDatabase<AdminDatabase>(urls.databaseUrl, { applicationName: 'admin-test' });
  const directory = createDirectory(store);
  const ledgers = createLedgers({ store });
  const app = createAdminApi({
    store,
    directory,
    ledgers,
    db,
    matching: db,
    exports: createExports(db, { logger }),
    receipts: { get: async () => undefined, list: async () => [] },
    personal: testPersonalData(store),
    logger,
    metrics: createMetrics('admin'),
    registry: createTokenRegistry(store),
    fixedTokens: [
      fixedToken(tokens.admin, { name: 'alice', role: 'admin' }),
      fixedToken(tokens.operator, { name: 'oleg', role: 'operator' }),
      fixedToken(tokens.auditor, { name: 'anna', role: 'auditor' }),
    ],
    providers: ['sandbox'],
    connectors: new Map(),
    allowPrivate: true,
    ...testAccessDependencies(),
    members: createMemberList(store),
    ...more,
  });
  const server = await listen(app, { port: 0, host: '127.0.0.1', render: renderUnread });
  const call = createApiCaller(server.port);
  const newMerchant = async (name: string) =>
    String((await call('POST /admin/v1/merchants', { body: { name } })).body['merchant_id']);
  const newShop = async (name = 'Shop', settings: object = {}) => {
    const shop = { merchant_id: await newMerchant(name), name, ...settings };
    return String((await call('POST /admin/v1/shops', { body: shop })).body['shop_id']);
  };
  return {
    port: server.port,
    store,
    db,
    directory,
    ledgers,
    call,
    newMerchant,
    newShop,
    newShopWithWebhook: async (name) => {
      const shopId = await newShop(name);
      const body = { url: 'http://127.0.0.1:9/' };
      await call(`PUT /admin/v1/shops/${shopId}/webhook`, { body });
      return shopId;
    },
    issueToken: async (name, role, options) => {
      const request = { body: { name, role }, ...options };
      type Issued = { token: string; token_id: string };
      return (await call<Issued>('POST /admin/v1/tokens', request)).body;
    },
    stop: async () => {
      await server.close();
      await Promise.all([directory.stop(), ledgers.stop()]);
      await Promise.all([store.close(), db.destroy()]);
    },
  };
}

const createApiCaller =
  (port: number): TestAdmin['call'] =>
  async <Content = Body>(
    request: string,
    options: RequestOptions = {},
  ): Promise<Answer<Content>> => {
    const [method = '', path = ''] = request.split(' ');
    const token = 'token' in options ? options.token : tokens.admin;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body !== undefined && {
        body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body),
      }),
    });
    const text = await response.text();
    const body = text === '' ? {} : JSON.parse(text);
    return { status: response.status, body: body as Content, headers: response.headers };
  };
