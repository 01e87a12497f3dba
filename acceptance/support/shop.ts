import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Answer, Json } from './answer.ts';
import { admin, control, sendRequest, target } from './http.ts';
import { documentedFaults } from './members.ts';
import { isTerminalStatus, type Facts, type Source } from './operation.ts';
import { openReceiver, type Delivery, type Receiver } from './receiver.ts';
import { allRoutes, routeThatAccepts, type RouteRequest } from './routes.ts';
import { until } from './until.ts';

type ShopOptions = {
  readonly routes?: readonly RouteRequest[];
  /** Whether it has a webhook; a receiver of its own then. */
  readonly webhook?: boolean;
  /** More fields of `POST /admin/v1/shops`. */
  readonly settings?: Readonly<Record<string, unknown>>;
};

export type Kind = 'payment' | 'payment/link' | 'payout';
type CreateOptions = {
  /** The instance that gets the request: 0 or 1. */
  readonly at?: 0 | 1;
  /** The route that accepts it, if that is not the first matching one. */
  readonly route?: RouteRequest | undefined;
};

const openShops: TestShop[] = [];
afterAll(async () => {
  const faults = openShops.flatMap(({ receiver }) => receiver?.faults ?? []);
  await Promise.all(openShops.splice(0).map(async (shop) => shop.receiver?.close()));
  expect(faults, 'webhooks as R14.2 to R14.5 have them').toEqual([]);
});

/** Opens a shop, which is closed after the file's last test. */
export const openTestShop = (options?: ShopOptions): Promise<TestShop> =>
  new TestShop().open(options);

/** The same for all tests of a file or of a `describe`, from their `beforeAll` on. */
export function shopForFile(options?: ShopOptions): TestShop {
  const shop = new TestShop();
  beforeAll(async () => void (await shop.open(options)));
  return shop;
}

/**
 * A merchant's integration. Every operation object that it gets to see is checked against table
 * 2.2.
 */
export class TestShop {
  shopId = '';
  merchantId = '';
  apiKey = '';
  routes: readonly RouteRequest[] = [];
  receiver: Receiver | undefined;
  readonly #byKey = new Map<string, Facts>();
  readonly #byId = new Map<string, Facts>();
  /** Keys under which there is an operation. */
  readonly #made = new Set<string>();

  /** Sets it up as an operator does: a merchant, a key, routes, a webhook. */
  async open({ routes = allRoutes, webhook = false, settings = {} }: ShopOptions = {}) {
    const created = async (method: string, path: string, json: object): Promise<Json> => {
      const answer = await admin(method, path, json);
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    };
    const { merchant_id } = await created('POST', '/merchants', { name: 'Acceptance' });
    const rate_limit = { per_second: 10_000, burst: 10_000 };
    const shop = await created('POST', '/shops', {
      merchant_id,
      name: 'A',
      rate_limit,
      ...settings,
    });
    const { api_key } = await created('POST', `/shops/${shop.shop_id}/api-keys`, {
      label: 'test',
    });
    await created('PUT', `/shops/${shop.shop_id}/routes`, { routes });
    this.shopId = shop.shop_id;
    this.merchantId = merchant_id;
    this.apiKey = api_key;
    this.routes = routes;
    if (webhook) await this.listen();
    openShops.push(this);
    return this;
  }

  /** Points the webhook to a new receiver. */
  async listen(): Promise<Receiver> {
    const receiver = await openReceiver((operation) => {
      const facts = this.#byKey.get(operation.merchant_operation_id);
      return facts === undefined
        ? ['an operation that this shop did not create']
        : documentedFaults(operation, facts, 'webhook');
    });
    const answer = await admin('PUT', `/shops/${this.shopId}/webhook`, { url: receiver.url });
    expect(answer).toMatchObject({ status: 200, body: { url: receiver.url, enabled: true } });
    receiver.trust(answer.body.secret);
    this.receiver = receiver;
    return receiver;
  }

  async call(path: string, json?: unknown, at: 0 | 1 = 0): Promise<Answer> {
    return sendRequest(`${target.gateways[at]}${path}`, {
      method: json === undefined ? 'GET' : 'POST',
      ...(json === undefined ? {} : { json }),
      headers: { 'x-api-key': this.apiKey },
    });
  }

  /** A complete body; `undefined` takes a field away. */
  body(kind: Kind, change: Json = {}): Json {
    return {
      merchant_operation_id: `order-${randomUUID()}`,
      client_id: 'client-1',
      method: 'WT_RUB_C2C',
      amount: '100.00',
      currency: 'RUB',
      ...(kind === 'payout' ? { number: '4111111111111111' } : {}),
      ...change,
    };
  }

  async create(kind: Kind, body: Json, options: CreateOptions = {}): Promise<Answer> {
    const type = kind === 'payout' ? 'payout' : 'payment';
    const facts: Facts = {
      type,
      merchantOperationId: body.merchant_operation_id,
      method: body.method,
      amount: body.amount,
      currency: body.currency,
      route: 'route' in options ? options.route : this.#routeOf(type, body),
      number: body.number,
      name: body.name,
      bankname: body.bankname,
    };
    const key = body.merchant_operation_id;
    if (!this.#made.has(key)) this.#byKey.set(key, facts);
    const answer = await this.call(`/v1/${kind}`, body, options.at);
    if (answer.status === 200) {
      if (!this.#made.has(key)) this.#byKey.set(key, facts);
      this.#made.add(key);
      this.#remember(answer.body.operation_id, key);
      this.expectOperation(answer.body, kind === 'payment/link' ? 'link' : 'create');
    } else if (answer.status === 422) {
      this.#byKey.set(key, { ...facts, route: undefined });
      this.#made.add(key);
      this.#remember(answer.body.operation_id, key);
    } else if (answer.status >= 500 && !this.#made.has(key)) {
      // The outcome is unknown: it may exist, and is rejected then.
      this.#byKey.set(key, { ...facts, route: undefined });
    }
    return answer;
  }

  async pay(change: Json = {}, options?: CreateOptions): Promise<Answer> {
    return this.create('payment', this.body('payment', change), options);
  }

  async link(change: Json = {}, options?: CreateOptions): Promise<Answer> {
    return this.create('payment/link', this.body('payment/link', change), options);
  }

  async payout(change: Json = {}, options?: CreateOptions): Promise<Answer> {
    return this.create('payout', this.body('payout', change), options);
  }

  /** The created operation; otherwise the test fails with the answer. */
  async made(answer: Answer | Promise<Answer>): Promise<Json> {
    const { status, text, body } = await answer;
    expect(status, text).toBe(200);
    return body;
  }

  /** The ID of an operation that was made, and that the provider has settled. */
  async settled(answer: Promise<Answer>, result = 'completed'): Promise<string> {
    const { operation_id: id } = await this.made(answer);
    await control(id, 'settle', { result });
    return id;
  }

  async read(reference: Json, at: 0 | 1 = 0): Promise<Answer> {
    const answer = await this.call('/v1/get_operation_state', reference, at);
    if (answer.status === 200) {
      if (reference.merchant_operation_id !== undefined) {
        this.#remember(answer.body.operation_id, reference.merchant_operation_id);
      }
      this.expectOperation(answer.body, 'state');
    }
    return answer;
  }

  /** The operation as it is now. */
  async state(operationId: string, at: 0 | 1 = 0): Promise<Json> {
    return this.made(this.read({ operation_id: operationId }, at));
  }

  /**
   * Waits until the operation has the status. @throws with the last state, if it never
   * has it
   */
  async waitFor(operationId: string, status: string | ((state: Json) => boolean)): Promise<Json> {
    const holds = typeof status === 'string' ? (state: Json) => state.status === status : status;
    const what = `${operationId} is ${String(status)}`;
    return until(what, () => this.state(operationId), { holds });
  }

  async cancel(reference: Json, at: 0 | 1 = 0): Promise<Answer> {
    const answer = await this.call('/v1/cancel_operation', reference, at);
    if (answer.status === 200) {
      const { outcome, operation } = answer.body;
      expect(Object.keys(answer.body).toSorted()).toEqual(['operation', 'outcome']);
      const { metadata: _, ...snapshot } = operation;
      expect(Object.keys(snapshot).toSorted()).toEqual(['operation_id', 'status', 'type']);
      expect(operation.type).toBe('payment');
      if (outcome === 'cancelled') expect(operation.status).toBe('cancelled');
      else expect(outcome).toBe('already_terminal');
      expect(isTerminalStatus(operation.status)).toBe(true);
    }
    return answer;
  }

  /** Uploads a file as the receipt of an operation. */
  async confirm(
    operationId: string,
    file: string | Uint8Array<ArrayBuffer>,
    at: 0 | 1 = 0,
  ): Promise<Answer> {
    const form = new FormData();
    form.append('operation_id', operationId);
    form.append('confirmation_type', 'receipt');
    form.append('receipt', new Blob([file], { type: 'application/pdf' }), 'receipt.pdf');
    return this.upload(form, at);
  }

  async upload(form: FormData, at: 0 | 1 = 0): Promise<Answer> {
    const answer = await sendRequest(`${target.gateways[at]}/v1/confirm_payment`, {
      raw: form,
      headers: { 'x-api-key': this.apiKey },
    });
    if (answer.status === 200) this.expectOperation(answer.body, 'confirm');
    return answer;
  }

  /** The balance row of a currency, checked against the invariant of 2.4. */
  async balance(currency = 'RUB', at: 0 | 1 = 0): Promise<Json> {
    const answer = await this.call('/v1/balances', undefined, at);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.balances.find((row: Json) => row.currency === currency);
  }

  /** The operation as the operator sees it. */
  async adminView(operationId: string): Promise<Json> {
    const answer = await admin('GET', `/operations/${operationId}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  }

  async events(operationId: string): Promise<Json[]> {
    const answer = await admin('GET', `/operations/${operationId}/events`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.events;
  }

  deliveriesOf(operationId: string): Delivery[] {
    return (this.receiver?.deliveries ?? []).filter(
      ({ operation }) => operation?.operation_id === operationId,
    );
  }

  /** Waits until the operation's message with this sequence was received. */
  async delivered(operationId: string, sequence = 1): Promise<Delivery> {
    const find = () => this.deliveriesOf(operationId).filter((each) => each.sequence === sequence);
    const what = `webhook ${sequence} of ${operationId}`;
    const [found] = await until(what, find, { holds: (all) => all.length > 0 });
    return found as Delivery;
  }

  expectOperation(view: Json, source: Source): void {
    const facts = this.#byId.get(view?.operation_id);
    if (facts === undefined)
      throw new Error(`this shop did not create the operation ${JSON.stringify(view)}`);
    expect(documentedFaults(view, facts, source), `${source}: ${JSON.stringify(view)}`).toEqual([]);
  }

  #remember(operationId: string, merchantOperationId: string): void {
    const facts = this.#byKey.get(merchantOperationId);
    if (facts !== undefined) this.#byId.set(operationId, facts);
  }

  #routeOf(type: string, { method, currency, amount }: Json): RouteRequest | undefined {
    if (typeof amount !== 'string' || !/^\d+\.\d\d$/.test(amount)) return undefined;
    return routeThatAccepts(this.routes, { type, method, currency, amount });
  }
}
