import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { Attempt } from '#shared/domain/operation/state.ts';
import { expiresAt, isPayout, type AtProvider, type Move, type World } from './world.ts';

/** How the provider of an attempt accepts it. */
export const acceptedBy = (attempt: number, { kind }: Pick<World, 'kind'>) => ({
  outcome: 'accepted' as const,
  providerReference: `ref-${attempt}`,
  expiresAt,
  ...(kind === 'payment' && { requisites: { number: `220000000000000${attempt}` } }),
});

/** The most that a provider reports about one attempt. */
const maxReports = 4;

/** The outcomes of a submission: the provider accepts or refuses, and its answer arrives or not. */
export function submissionMoves(world: World, { attempt }: Attempt): Move[] {
  const taken = { status: 'open', legs: [], returns: [], reports: [] } as const;
  const moves: { name: string; at?: AtProvider; answer: ProviderAnswer }[] = [
    { name: 'accepts', at: reported(taken, attempt), answer: acceptedBy(attempt, world) },
    { name: 'refuses', answer: { outcome: 'refused', reason: 'no' } },
    {
      name: 'accepts, and the answer is lost',
      at: reported(taken, attempt),
      answer: { outcome: 'unknown', cause: 'timeout' },
    },
    {
      name: 'never gets it, and nothing comes back',
      answer: { outcome: 'unknown', cause: 'timeout' },
    },
  ];
  return moves.map(({ name, at, answer }) => ({
    name: `the provider ${name} (attempt ${attempt})`,
    events: [],
    next: {
      ...world,
      creating: { attempt, answer },
      providers: at ? { ...world.providers, [attempt]: at } : world.providers,
    },
  }));
}

/** The providers' own moves: money comes, goes back, an attempt ends. */
export const providerMoves = (world: World): Move[] =>
  Object.entries(world.providers).flatMap(([number, at]) =>
    at.reports.length >= maxReports
      ? []
      : possibleChanges(at, Number(number), isPayout(world)).map(([name, change]) => ({
          name: `${name} (attempt ${number})`,
          events: [],
          next: {
            ...world,
            providers: {
              ...world.providers,
              [number]: reported({ ...at, ...change }, Number(number)),
            },
          },
        })),
  );

type Change = [name: string, change: Partial<AtProvider>];

function possibleChanges({ status, legs, returns }: AtProvider, attempt: number, payout: boolean) {
  const changes: Change[] = [];
  const one = (name: string, amount: string) => ({
    leg_id: `${attempt}${name}`,
    amount,
    completed_at: '2026-01-31T12:01:00.000Z',
  });
  const full = { ...one('a', '100.00'), file: false };
  if (status === 'open') {
    if (legs.length === 0) {
      changes.push(['all the money comes, and it ends', { status: 'completed', legs: [full] }]);
      if (!payout) changes.push(['60 come', { legs: [{ ...one('a', '60.00'), file: false }] }]);
      changes.push(['it is declined', { status: 'declined' }]);
    } else
      changes.push([
        'the rest comes, and it ends',
        { status: 'completed', legs: [...legs, { ...one('b', '40.00'), file: false }] },
      ]);
  } else if (status === 'declined' && !payout) changes.push(['money comes late', { legs: [full] }]);
  if (legs.length > 0 && returns.length === 0)
    changes.push(['30 go back', { returns: [{ ...one('r', '30.00'), of_leg_id: `${attempt}a` }] }]);
  return changes;
}

function reported(at: AtProvider, attempt: number): AtProvider {
  const { status, legs, returns, reports } = at;
  const report = { attempt, version: reports.length + 1, status, legs, returns };
  return { ...at, reports: [...reports, report] };
}
