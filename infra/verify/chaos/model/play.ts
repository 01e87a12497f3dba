import { waitUntil } from '#infra/process/wait-until.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { keyNames, keys, type Answer, type Command, type Done, type Key } from './commands.ts';
import { explain, textOf } from './explain.ts';
import { newShop, type ShopModel } from './shop-model.ts';

/** Where a run is played: instances of the merchant API, and the provider. */
type Place = {
  readonly gateways: readonly string[];
  readonly sandbox: string;
  readonly apiKey: string;
};

export const routes = [
  { type: 'payment', method: 'WT_RUB_C2C' },
  {
    type: 'payment',
    method: 'WT_RUB_PHONE',
    requires_receipt: true,
    options: { review: 'manual' },
  },
  { type: 'payout', method: 'WT_RUB_C2C' },
].map((route) => ({ ...route, min_amount: '10.00', commission: { percent: '2.50' } }));

const endWithinMs = 20_000;
const answerWithinMs = 20_000;

/**
 * Plays groups of commands, one group after the other and those of a group at once, then looks at
 * everything.
 * @throws with the group whose answers no order of its commands explains
 */
export async function play(place: Place, groups: readonly (readonly Command[])[]): Promise<void> {
  const ids = new Map<Key, string>();
  let models: readonly ShopModel[] = [newShop];
  const look = keyNames.map((key): Command => ({ do: 'read', key, named: 'key', by: 0 }));
  const last = [...look, { do: 'balances', by: 1 } as const].map((command) => [command]);
  for (const group of [...groups, ...last]) {
    const done = await Promise.all(
      group.map(async (command): Promise<Done> => ({
        command,
        answer: await carryOut(place, ids, command),
      })),
    );
    const after = explain(models, done);
    if (after.length === 0) {
      const before = models.map(textOf).join('\n  or  ');
      const told = done.map((each) => JSON.stringify(each)).join('\n  ');
      throw new Error(`no order explains what was answered:\n  ${told}\nbefore them:\n  ${before}`);
    }
    models = after;
    for (const { answer, command } of done) {
      const id = answer?.body['operation_id'];
      if (command.do === 'create' && typeof id === 'string') ids.set(command.key, id);
    }
  }
}

async function carryOut(
  place: Place,
  ids: ReadonlyMap<Key, string>,
  command: Command,
): Promise<Answer | undefined> {
  if (command.do === 'settle') return settle(place, ids.get(command.key), command);
  const send = (path: string, init: RequestInit) =>
    ask(`${place.gateways[command.by] ?? ''}/v1/${path}`, place.apiKey, init);
  const post = (path: string, body: object) =>
    send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  if (command.do === 'balances') return send('balances', { method: 'GET' });
  const { key } = command;
  const id = ids.get(key);
  switch (command.do) {
    case 'create': {
      const { type, method } = keys[key];
      return post(type === 'payout' ? 'payout' : command.link ? 'payment/link' : 'payment', {
        merchant_operation_id: key,
        client_id: 'client-1',
        method,
        amount: command.amount,
        currency: 'RUB',
        ...(type === 'payout' && { number: '2200 1234 5678 9010' }),
      });
    }
    case 'cancel':
    case 'read': {
      const named =
        command.named === 'id' && id !== undefined
          ? { operation_id: id }
          : { merchant_operation_id: key };
      return post(command.do === 'read' ? 'get_operation_state' : 'cancel_operation', named);
    }
    case 'confirm': {
      if (id === undefined) return undefined;
      const form = new FormData();
      form.append('operation_id', id);
      form.append('confirmation_type', 'receipt');
      const content =
        command.receipt === 'picture' ? 'no PDF' : `%PDF-1.4\n${command.receipt}\n%%EOF`;
      form.append('receipt', new Blob([content]), 'receipt.pdf');
      return send('confirm_payment', { method: 'POST', body: form });
    }
  }
}

/** Tells the provider, and waits until its merchant sees an end: whose, others may have decided. */
async function settle(
  { gateways, sandbox, apiKey }: Place,
  id: string | undefined,
  { result }: Extract<Command, { do: 'settle' }>,
): Promise<Answer | undefined> {
  if (id === undefined) return undefined;
  const headers = { 'content-type': 'application/json' };
  const told = await ask(`${sandbox}/control/operations/${id}/settle`, apiKey, {
    method: 'POST',
    headers,
    body: JSON.stringify({ result }),
  });
  if (told.status === 404) return undefined;
  const read = { method: 'POST', headers, body: JSON.stringify({ operation_id: id }) };
  const ended = async () => {
    const { body } = await ask(`${gateways[0] ?? ''}/v1/get_operation_state`, apiKey, read);
    return isTerminal(body['status'] as Operation['status']);
  };
  await waitUntil(`${id} has ended`, ended, { timeoutMs: endWithinMs, intervalMs: 20 });
  return told;
}

async function ask(url: string, apiKey: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), 'x-api-key': apiKey },
    signal: AbortSignal.timeout(answerWithinMs),
  });
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed') === 'true',
    body: (await response.json()) as Record<string, unknown>,
  };
}
