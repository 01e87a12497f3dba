import { randomBytes, randomUUID } from 'node:crypto';
import { openStore, type Store } from '#infra/event-store-node/storage/open-store.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { storedExamples, type StoredExample } from '#shared/domain/testing/stored-examples.ts';

type Members = Readonly<Record<string, string>>;
type Append = { stream: string; events: { type: string; of: Members }[] };

const shops = Array.from({ length: 20 }, () => randomUUID());
/** A client's first operation makes its key. */
const operationsOfClient = 2;
/** How many operations later each of the four appends comes: a payer needs some time. */
const delays = [0, 1, 30, 31];

/**
 * Writes the log of so many completed payments into the folder of a node that does not run: the
 * streams, sizes and order that the gateway makes, by the events that are kept as examples.
 * @returns how many events, and their bytes of data and metadata
 */
export async function writeOperations(
  directory: string,
  operations: number,
): Promise<{ events: number; bytes: number }> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const store = openStore(directory, { onFatal: reject, onRefused: reject });
  try {
    return await Promise.race([write(store, operations), failed]);
  } finally {
    store.writes.close();
    store.close();
  }
}

async function write({ writes }: Store, operations: number) {
  const total = { events: 0, bytes: 0 };
  let unanswered = 0;
  let allAnswered: (() => void) | undefined;
  const longest = delays.at(-1) ?? 0;
  /** Of the operations that are not over. */
  const open: string[] = [];
  for (let turn = 0; turn < operations + longest; turn += 1) {
    open.unshift(randomUUID());
    open.length = Math.min(open.length, longest + 1);
    for (const [step, delay] of delays.entries()) {
      const number = turn - delay;
      const id = number < operations ? open[delay] : undefined;
      if (id === undefined) continue;
      for (const append of appendsOf(step, { id, number })) {
        const { events, bytes } = encode(append);
        total.events += events.length;
        total.bytes += bytes;
        unanswered += 1;
        writes.push({
          request: { kind: 'append', stream: append.stream, expected: { kind: 'any' }, events },
          bytes,
          expiresAtMs: Number.POSITIVE_INFINITY,
          onResult: () => {
            if ((unanswered -= 1) === 0) allAnswered?.();
          },
        });
      }
    }
    if (writes.isFull()) await new Promise<void>((resolve) => writes.onRoom(resolve));
  }
  await new Promise<void>((resolve) => {
    allAnswered = resolve;
    if (unanswered === 0) resolve();
  });
  return total;
}

/** What an operation appends in one of its four steps. */
function appendsOf(step: number, { id, number }: { id: string; number: number }): Append[] {
  const shopId = shops[number % shops.length] ?? '';
  const of = { operation_id: id, shop_id: shopId, merchant_operation_id: `order-${number}` };
  const own = (...types: string[]): Append => ({
    stream: operationStream(id),
    events: types.map((type) => ({ type, of })),
  });
  if (step === 1) return [own('AttemptAccepted')];
  if (step === 2) return [own('OperationCompleted')];
  if (step === 3)
    return [{ stream: ledgerStream(shopId, 'RUB'), events: [{ type: 'EntryPosted', of }] }];
  const admitted = own('OperationAdmitted', 'AttemptStarted');
  if (number % operationsOfClient !== 0) return [admitted];
  const key = { shop_id: shopId, key_id: randomUUID() };
  const stream = personalKeyStream(key.key_id);
  return [{ stream, events: [{ type: 'PersonalKeyCreated', of: key }] }, admitted];
}

/** The example of the newest version, the longest of them. */
function exampleOf(type: string): StoredExample {
  const [newest] = Object.values<readonly StoredExample[]>(storedExamples)
    .flat()
    .filter((each) => each.type === type)
    .toSorted((a, b) => b.schema_version - a.schema_version || lengthOf(b.data) - lengthOf(a.data));
  if (!newest) throw new Error(`there is no example of ${type}`);
  return newest;
}

const lengthOf = (data: unknown): number => JSON.stringify(data).length;

/** Members that differ from one operation to the next; in a template each is its name. */
const varying = ['operation_id', 'shop_id', 'merchant_operation_id', 'key_id'];
const placeholder = /@(\w+)@/g;
const templates = new Map<string, { data: string; metadata: string }>();

function templateOf(type: string) {
  const known = templates.get(type);
  if (known) return known;
  const { data, schema_version } = exampleOf(type);
  const members = Object.entries(data as object).map(([name, value]: [string, unknown]) => [
    name,
    varying.includes(name) ? `@${name}@` : value,
  ]);
  const metadata = {
    correlation_id: '@correlation_id@',
    request_id: '@correlation_id@',
    actor: `merchant:${shops[0]}`,
    key_id: shops[1],
    schema_version,
  };
  const template = {
    data: JSON.stringify(Object.fromEntries(members)),
    metadata: JSON.stringify(metadata),
  };
  templates.set(type, template);
  return template;
}

let ids = Buffer.alloc(0);

/** From many at once: the system is asked rarely. */
function newEventId(): Buffer {
  if (ids.length < 16) ids = randomBytes(16 * 4_096);
  const id = ids.subarray(0, 16);
  ids = ids.subarray(16);
  return id;
}

function encode({ events: given }: Append) {
  const correlation = { correlation_id: randomUUID() };
  const filled = (text: string, of: Members) =>
    Buffer.from(text.replaceAll(placeholder, (_match, name: string) => of[name] ?? ''));
  let bytes = 0;
  const events = given.map(({ type, of }) => {
    const template = templateOf(type);
    const data = filled(template.data, of);
    const metadata = filled(template.metadata, correlation);
    bytes += data.length + metadata.length;
    return { id: newEventId(), type, contentType: 'application/json', data, metadata };
  });
  return { events, bytes };
}
