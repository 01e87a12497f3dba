import type { Route } from '#shared/domain/routing.ts';
import type { ShopSettings } from '#shared/domain/shop/events.ts';
import type { Role } from '#shared/domain/operator/events.ts';
import {
  eachSetting,
  forbiddenSettings,
  settingRoles,
  viewSettings,
} from '#shared/domain/shop/settings/derive.ts';
import type { SettingEntry } from '#shared/domain/shop/settings/entry.ts';
import { jsonbText } from '../../read-models/rows/jsonb.ts';
import { parseExactMinor } from '../operation/exact-arithmetic.ts';

/** Why no operator can have set these: the admin API refuses them. */
export function whyNotSettings(settings: ShopSettings): string | undefined {
  const values = viewSettings(settings);
  for (const [name, entry] of eachSetting) {
    const why = whyNotValue(entry, values[name]);
    if (why !== undefined) return `the ${name} ${why}`;
  }
  return undefined;
}

function whyNotValue(entry: SettingEntry, value: unknown): string | undefined {
  // Whether HTTP is allowed depends on the deployment.
  if (entry.kind === 'url' && typeof value === 'string')
    return entry.refuse(value, { allowHttp: true });
  if (entry.kind !== 'limits') return undefined;
  const limits = Object.entries(value as Readonly<Record<string, string>>);
  const negative = limits.find(([, limit]) => parseExactMinor(limit) < 0n);
  return negative && `have ${negative[1]} in ${negative[0]}`;
}

/** Which settings a command changed although its role may not (R18.8). */
export function whyNotChanged(
  { before, after }: { before: ShopSettings; after: ShopSettings },
  hasRole: (allowed: readonly Role[]) => boolean,
): string | undefined {
  // Without a role that changes any of them, the command itself is reported.
  if (!hasRole(settingRoles)) return undefined;
  const [old, current] = [viewSettings(before), viewSettings(after)];
  const changed = eachSetting
    .map(([name]) => name)
    .filter((name) => jsonbText(old[name]) !== jsonbText(current[name]));
  const forbidden = forbiddenSettings(changed, hasRole);
  return forbidden.length === 0
    ? undefined
    : `${forbidden.join(', ')} changed with a role that may not`;
}

/** The same of routes. */
export function whyNotRoutes(routes: readonly Route[]): string | undefined {
  const wrong = routes.find(
    ({ min_amount: min, max_amount: max }) =>
      min !== undefined && max !== undefined && parseExactMinor(min) > parseExactMinor(max),
  );
  return wrong && `a route takes ${wrong.min_amount} at least and ${wrong.max_amount} at most`;
}
