import { sql, type Kysely } from 'kysely';
import { isOverpaid } from '#projections/operations/overpaid.ts';
import type { listProjections } from '#projections/status.ts';
import type { SwitchedOff } from '#shared/domain/provider/switch.ts';
import { badge, html, type Html, type Tone } from '#shared/platform/pages/index.ts';
import { listAudits, type AuditView } from '../../api/audits/read.ts';
import { breakerTypes, readBreakers, type BreakerReports } from '../../api/providers/breakers.ts';
import { countedAtMost, findHealth, type ProviderHealth } from '../../api/providers/health.ts';
import type { AdminDatabase } from '../../api/database.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { outcomeNames } from '../audits/texts.ts';
import { count, section } from '../../frame/components.ts';
import type { Console, ConsoleView } from '../env.ts';
import { typeNames } from '../../frame/names.ts';
import { projectionBadge } from '../projections/page.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';

const texts = {
  none: {
    ru: 'Провайдеры и маршруты принимают операции, модели чтения работают, последний аудит без нарушений.',
    en: 'Providers and routes accept operations, read models run, and the last audit found no violation.',
  },
  noneUnaudited: {
    ru: 'Провайдеры и маршруты принимают операции, модели чтения работают. Аудита ещё не было.',
    en: 'Providers and routes accept operations, and read models run. No audit has been recorded yet.',
  },
  noFigures: {
    ru: 'Показатели провайдеров и маршрутов сейчас недоступны.',
    en: 'The figures of providers and routes are not available at the moment.',
  },
  off: { ru: 'провайдер выключен', en: 'provider switched off' },
  failing: { ru: 'не отвечает, пропускается', en: 'not responding, skipped' },
  accepts: { ru: 'принял', en: 'accepted' },
  declined: { ru: 'отклонено операций', en: 'operations declined' },
  hour: { ru: 'за час', en: 'in the last hour' },
  audit: { ru: 'последний аудит', en: 'last audit' },
  payments: { ru: 'платежи', en: 'payments' },
  overpaid: {
    ru: 'пришло намного больше ожидаемого, за 7 дней',
    en: 'much more money than expected, in the last 7 days',
  },
} as const satisfies Record<string, Words>;

/** The newest attempts count. */
export const attentionMs = 3_600_000;
/** Fewer are not significant for a route or a shop. */
const fewest = 5;
const shopsAtMost = 5;

type DecliningShop = { shopId: string; name: string; created: number; declined: number };

/** The shops of which at least half of the operations were declined, the most first. */
export async function readDecliningShops(
  db: Kysely<AdminDatabase>,
  since: Date,
): Promise<DecliningShop[]> {
  const { rows } = await sql<DecliningShop>`
    select o.shop_id as "shopId", coalesce(max(s.name), o.shop_id) as name, count(*)::int as created,
      count(*) filter (where o.status = 'declined')::int as declined
    from (
      select shop_id, status from gateway.operations where created_at >= ${since}
      order by created_at desc limit ${countedAtMost}
    ) o left join gateway.shops s on s.shop_id = o.shop_id
    group by o.shop_id
    having count(*) >= ${fewest} and count(*) filter (where o.status = 'declined') * 2 >= count(*)
    order by declined desc limit ${shopsAtMost}`.execute(db);
  return rows;
}

const overpaidMs = 7 * 24 * attentionMs;

/** How many payments had much more money than expected, and changed in the last days. */
export async function countOverpaid(db: Kysely<AdminDatabase>, nowMs: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from gateway.operations
      where ${isOverpaid(new Date(nowMs - overpaidMs))} limit ${countedAtMost}) few`.execute(db);
  return rows[0]?.count ?? 0;
}

type Health = {
  off: ReadonlyMap<string, SwitchedOff>;
  breakers: ReadonlyMap<string, BreakerReports>;
  /** Undefined while the read models are unavailable. */
  health: ReadonlyMap<string, ProviderHealth> | undefined;
  audit: AuditView | undefined;
};

/** Figures of the log, and of the read models if they are available. */
export async function readAttention(console: Console): Promise<Health> {
  const [{ off }, health, breakers, { audits }] = await Promise.all([
    fromStore(console.directory.providers('now')),
    findHealth(console.db, new Date(console.now() - attentionMs)),
    readBreakers(console.store, console.providers),
    fromStore(listAudits(console.store, { limit: 1 })),
  ]);
  return { off, health, breakers, audit: audits[0] };
}

type Item = { tone: Tone; name: string; href: string; what: Html | string };

/** Why money stops now, each with a link to its page. */
export function attentionSection(
  view: ConsoleView,
  facts: Health & {
    /** Undefined where the database took too long. */
    shops: readonly DecliningShop[] | undefined;
    /** The same. */
    overpaid: number | undefined;
    projections: Awaited<ReturnType<typeof listProjections>>;
  },
): Html {
  const { t } = view;
  const items = [
    ...providerItems(view, facts),
    ...routeItems(view, facts.health ?? new Map()),
    ...(facts.shops ?? []).map(({ shopId, name, created, declined }) => ({
      tone: 'danger' as const,
      name,
      href: `/operations?shop=${encodeURIComponent(shopId)}&status=declined`,
      what: `${t(texts.declined)}: ${share(view, declined, created)}`,
    })),
    ...facts.projections
      .filter(({ status }) => status === 'stopped' || status === 'not_running')
      .map(({ name, status }) => {
        const what = projectionBadge(view, status);
        return { tone: 'danger' as const, name, href: '/projections', what };
      }),
    ...overpaidItems(view, facts.overpaid ?? 0),
    ...auditItems(view, facts.audit),
  ];
  if (items.length === 0 && !(facts.health && facts.shops))
    return html`<p class="muted">${t(texts.noFigures)}</p>`;
  if (items.length === 0)
    return html`<p class="muted">${t(facts.audit ? texts.none : texts.noneUnaudited)}</p>`;
  return section(
    t(common.needsAttention),
    html`<ul class="attention">
      ${items.map(
        ({ tone, name, href, what }) =>
          html`<li>
            <a href="${href}">${name}</a>${typeof what === 'string' ? badge(tone, what) : what}
          </li>`,
      )}
    </ul>`,
  );
}

function providerItems({ t }: ConsoleView, { off, breakers }: Health): Item[] {
  const of = { href: '/providers', tone: 'danger' as const };
  return [
    ...[...off].map(([name, { reason }]) => ({ ...of, name, what: `${t(texts.off)}: ${reason}` })),
    ...[...breakers].flatMap(([name, reports]) =>
      breakerTypes.flatMap((type) =>
        reports[type]?.opened && !off.has(name)
          ? [{ ...of, name, what: `${t(typeNames[type])}: ${t(texts.failing)}` }]
          : [],
      ),
    ),
  ];
}

/** Routes whose providers accept less than half of their submissions. */
function routeItems(view: ConsoleView, health: NonNullable<Health['health']>): Item[] {
  const { t } = view;
  return [...health].flatMap(([provider, { routes }]) =>
    routes.flatMap(({ type, method, attempts, unfunded, accepted }) => {
      const funded = attempts - unfunded;
      if (funded < fewest || accepted * 2 >= funded) return [];
      const name = `${provider} · ${t(typeNames[type])} · ${method}`;
      const what = `${t(texts.accepts)} ${share(view, accepted, funded)}`;
      return [{ tone: 'warning' as const, name, href: '/providers', what }];
    }),
  );
}

function overpaidItems(view: ConsoleView, payments: number): Item[] {
  if (payments === 0) return [];
  const { t } = view;
  const what = `${t(texts.overpaid)}: ${count(view, payments, countedAtMost)}`;
  const href = '/operations?attention=overpaid';
  return [{ tone: 'warning', name: t(texts.payments), href, what }];
}

function auditItems({ t }: ConsoleView, audit: AuditView | undefined): Item[] {
  if (!audit || audit.outcome === 'holds') return [];
  const outcome = outcomeNames[audit.outcome];
  const href = `/audits/${audit.audit}`;
  return [{ tone: outcome.tone, name: t(texts.audit), href, what: t(outcome) }];
}

const share = (view: ConsoleView, some: number, all: number): string =>
  `${count(view, some)} ${view.t(common.of)} ${count(view, all)} ${view.t(texts.hour)}`;
