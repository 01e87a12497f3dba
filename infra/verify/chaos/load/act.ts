import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { ProxiedStack } from '#infra/verify/harness/proxied-stack.ts';
import type { Ask } from './ask.ts';
import type { Asked, Told } from './history.ts';
import type { ChaosShop } from './shops.ts';
import type { Story } from './stories.ts';

/** One operation and all that was said of it. */
export type Acted = {
  readonly story: Story;
  readonly told: Told[];
  /** What no end came to, in time. */
  readonly stuck: string[];
  operationId: string | undefined;
};

export type Stage = {
  readonly stack: ProxiedStack;
  readonly shops: readonly ChaosShop[];
  readonly ask: Ask;
  /** When everything has to have come to rest, by `performance.now()`. */
  readonly until: () => number;
};

const pollMs = 250;
const tellAgainMs = 8_000;

/** Plays a story to its end. */
export async function act({ stack, shops, ask, until }: Stage, story: Story): Promise<Acted> {
  const { key, slot, amount, link } = story;
  const acted: Acted = { story, told: [], stuck: [], operationId: undefined };
  const { told } = acted;
  const heardMs = new Map<string, number>();
  const shop = shops[story.shop];
  if (shop === undefined) throw new Error(`${key} has no shop`);
  const headers = { 'x-api-key': shop.apiKey };
  const merchant = (what: Asked, path: string, body: object) => ({
    what,
    url: `${stack.urls.gateway}/v1/${path}`,
    headers,
    body,
  });
  const body = {
    merchant_operation_id: key,
    client_id: `client-${story.shop}`,
    method: slot.method,
    currency: 'RUB',
    amount,
    ...(slot.type === 'payout' &&
      (slot.method === 'WT_RUB_C2C'
        ? { number: '2200123456789010' }
        : { number: '+79001234567', bankname: 'sberbank' })),
  };
  const path = slot.type === 'payout' ? 'payout' : link ? 'payment/link' : 'payment';
  const learn = (answer: Told | undefined) => {
    acted.operationId ??= answer?.body?.operation_id ?? answer?.body?.operation?.operation_id;
    return answer;
  };
  const create = async () => learn(await ask.forSure(merchant('create', path, body), told));
  const other = async () =>
    learn(await ask.forSure(merchant('other', path, { ...body, amount: '7.77' }), told));
  const cancel = async () => {
    const { operationId } = acted;
    const named = story.byKey || operationId === undefined;
    const reference = named ? { merchant_operation_id: key } : { operation_id: operationId };
    const once = () => ask.forSure(merchant('cancel', 'cancel_operation', reference), told);
    await Promise.all(Array.from({ length: story.cancels }, once));
  };
  const read = async (reference: object = { merchant_operation_id: key }) =>
    learn(await ask.once(merchant('read', 'get_operation_state', reference), told));

  await delay(story.pauseMs);
  if (story.cancel === 'before') await cancel();
  const beginning: Promise<unknown>[] = Array.from({ length: story.creates }, create);
  if (story.otherBody === 'with') beginning.push(other());
  if (story.cancel === 'with') beginning.push(delay(story.cancelAfterMs).then(cancel));
  for (let reads = 0; reads < story.reads; reads += 1)
    beginning.push(delay(reads * pollMs).then(() => read()));
  await Promise.all(beginning);
  const { operationId } = acted;
  if (operationId === undefined) {
    // A payout whose key a cancel took is never created.
    if (story.cancel === undefined) acted.stuck.push('no create was answered');
    return acted;
  }
  if (link) await ask.once({ what: 'page', url: `${stack.urls.pay}/${operationId}`, method: 'GET' }, told);
  if (!story.open) await bringToItsEnd();
  if (story.cancel === 'after') await cancel();
  if (story.otherBody === 'after') await other();
  if (story.open) {
    await read();
    return acted;
  }
  let ended = false;
  while (!ended && performance.now() < until()) {
    const answer = await read(story.byKey ? undefined : { operation_id: operationId });
    ended = answer?.status === 200 && isTerminal(answer.body.status as Operation['status']);
    if (ended) break;
    await delay(pollMs);
    // The provider may have been told before it knew of the operation.
    await bringToItsEnd();
  }
  if (!ended) acted.stuck.push(`no end came: ${JSON.stringify(told.at(-1)?.body)}`);
  if (story.late) await command('late-money', { amount: '5.00' });
  await create();
  if (link) await ask.once({ what: 'page', url: `${stack.urls.pay}/${operationId}`, method: 'GET' }, told);
  return acted;

  /** What this slot needs to come to an end. */
  async function bringToItsEnd(): Promise<void> {
    const status = lastStatus(told);
    if (status === undefined || isTerminal(status)) return;
    if (slot.end === 'settle') await command(story.settle.command, story.settle.body);
    if (slot.end === 'settle' && story.settle.command === 'leg')
      await command('settle', { result: 'completed' });
    if (slot.end !== 'receipt') return;
    if (status === 'awaiting_confirmation') {
      await Promise.all(Array.from({ length: story.receipt.times }, confirm));
      await command('review', story.review);
    }
    if (status === 'manual_check') await review();
  }

  async function confirm(): Promise<void> {
    const form = new FormData();
    form.append('operation_id', operationId ?? '');
    form.append('confirmation_type', 'receipt');
    const content = story.receipt.pdf ? `%PDF-1.4\n${key}\n%%EOF` : `a picture of ${key}`;
    form.append('receipt', new Blob([content]), 'receipt.pdf');
    await ask.forSure(merchant('confirm', 'confirm_payment', form), told);
  }

  /** As an operator does; somebody else may have decided. */
  async function review(): Promise<void> {
    const url = `${stack.urls.admin}/admin/v1/operations/${operationId}/review`;
    const authorization = `Bearer ${stack.adminToken}`;
    const asOperator = { what: 'review', url, headers: { authorization }, body: story.decision } as const;
    await ask.forSure(asOperator, []);
  }

  /**
   * What the provider is told to do; again when it was down, or when nothing has come of it for a
   * while.
   */
  async function command(name: string, order: object): Promise<void> {
    if (performance.now() < (heardMs.get(name) ?? -Infinity) + tellAgainMs) return;
    const url = `${stack.urls.sandbox}/control/operations/${operationId}/${name}`;
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order),
    };
    try {
      const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) });
      await answer.text();
      if (answer.ok) heardMs.set(name, performance.now());
    } catch {
      // It is down, and told with the next look.
    }
  }
}

/** The newest status that was shown, or nothing. */
function lastStatus(told: readonly Told[]): Operation['status'] | undefined {
  const shown = told.findLast(({ status, body }) => status === 200 && typeof body?.status === 'string');
  return shown?.body.status as Operation['status'] | undefined;
}
