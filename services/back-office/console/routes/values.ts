import { exampleMethod, isMethod, methods } from '#shared/domain/methods/index.ts';
import { accountKey } from '#shared/domain/provider/accounts.ts';
import type { Route } from '#shared/domain/routing.ts';
import { defaultAccount } from '#shared/domain/statements/events.ts';
import { typedPercent } from '../../frame/typed-numbers.ts';
import { invalidRequest } from '#shared/platform/http/validate.ts';
import { formValue, type Values } from '#shared/platform/sessions/form.ts';
import { hashRoutes } from '#shared/application/shops/routes-version.ts';
import { givenAmount, numberOrText } from '../actions/shop.ts';

/** A shop's routes as the fields of a form, `<number>_<name>`, and back. */

export const maxFormRoutes = 200;

export const fieldName = (index: number, name: string): string => `${index}_${name}`;

export const readRouteCount = (values: Values): number =>
  Math.min(maxFormRoutes, Math.max(0, Number.parseInt(values['count'] ?? '0', 10) || 0));

/**
 * The value of the environment's account: not an empty field, so that a removed account never
 * becomes it.
 */
export const environmentChoice = defaultAccount;

const accountChoice = ({ provider, account = defaultAccount }: Route): string =>
  account === defaultAccount ? environmentChoice : accountKey(provider, account);

function valuesOfRoute(route: Route, was: number): Values {
  const { commission, conversion, options } = route;
  return {
    was: String(was),
    type: route.type,
    method: route.method,
    provider: route.provider,
    account: accountChoice(route),
    priority: String(route.priority),
    min: route.min_amount ?? '',
    max: route.max_amount ?? '',
    dailyCount: route.daily_count === undefined ? '' : String(route.daily_count),
    dailyAmount: route.daily_amount ?? '',
    percent: commission.percent,
    fixed: commission.fixed,
    receipt: route.requires_receipt ? 'on' : '',
    settlement: conversion?.settlement_currency ?? '',
    source: conversion?.fx_source ?? '',
    options: options === undefined ? '' : JSON.stringify(options, null, 2),
  };
}

export function toFormValues(routes: readonly Route[]): Values {
  const fields = routes.flatMap((route, index) => named(index, valuesOfRoute(route, index)));
  return { count: String(routes.length), seen: hashRoutes(routes), ...Object.fromEntries(fields) };
}

const named = (index: number, route: Values): [string, string][] =>
  Object.entries(route).map(([name, value]) => [fieldName(index, name), value]);

/** The values of one of the form's routes, by the names of its fields. */
function routeAt(values: Values, index: number): Values {
  const prefix = fieldName(index, '');
  const own = Object.entries(values).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
}

/** After its buttons “add” and “remove”; undefined if none of them was pressed. */
export function editedValues(values: Values): Values | undefined {
  const count = readRouteCount(values);
  const { add, remove, ...rest } = values;
  if (add !== undefined && count < maxFormRoutes) {
    const fresh = { was: '', account: environmentChoice, priority: '1', fixed: '0.00' };
    return { ...rest, count: String(count + 1), ...Object.fromEntries(named(count, fresh)) };
  }
  if (remove === undefined) return undefined;
  const others = Array.from({ length: count }, (_, index) => index).filter(
    (index) => String(index) !== remove,
  );
  const renumbered = others.flatMap((from, to) => named(to, routeAt(values, from)));
  const apart = Object.entries(rest).filter(([name]) => !/^\d+_/.test(name));
  return { ...Object.fromEntries([...apart, ...renumbered]), count: String(others.length) };
}

/**
 * The routes for the API; invalid values are left for its check.
 * @throws Problem invalid_request for options that are not JSON
 */
export function readRoutesForm(values: Values): unknown[] {
  return Array.from({ length: readRouteCount(values) }, (_, index) => {
    const route = routeAt(values, index);
    const { type, method = '', provider } = route;
    const settlement_currency = formValue(route, 'settlement');
    const fx_source = formValue(route, 'source');
    const options = formValue(route, 'options');
    return {
      type,
      method,
      // An unknown method is a fault of the method only, not also of the currency.
      currency: methods[isMethod(method) ? method : exampleMethod].currency,
      provider,
      account: accountIn(route['account'], provider),
      priority: numberOrText(formValue(route, 'priority')),
      requires_receipt: route['receipt'] === 'on',
      min_amount: givenAmount(route, 'min'),
      max_amount: givenAmount(route, 'max'),
      daily_count: numberOrText(formValue(route, 'dailyCount')),
      daily_amount: givenAmount(route, 'dailyAmount'),
      commission: { percent: readPercent(route), fixed: givenAmount(route, 'fixed') ?? '0.00' },
      conversion:
        (settlement_currency ?? fx_source) === undefined
          ? undefined
          : { settlement_currency, fx_source },
      options: options === undefined ? undefined : parseOptions(options, index),
    };
  });
}

function readPercent(route: Values): string | undefined {
  const text = formValue(route, 'percent');
  return text === undefined ? undefined : typedPercent(text);
}

/** A missing choice, or another provider's account, stays as it is, for the check to refuse. */
function accountIn(chosen = '', provider: string | undefined): string | undefined {
  if (chosen === environmentChoice) return undefined;
  return chosen.startsWith(`${provider}/`) ? chosen.slice(`${provider}/`.length) : chosen;
}

/** For each route of the form, which of the shop's routes it was; -1 for a new one. */
export const readOriginalIndexes = (values: Values): number[] =>
  Array.from({ length: readRouteCount(values) }, (_, index) => {
    const was = values[fieldName(index, 'was')] ?? '';
    return /^\d{1,3}$/.test(was) ? Number(was) : -1;
  });

function parseOptions(text: string, index: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = placed(error instanceof Error ? error.message : 'not JSON', text);
    throw invalidRequest([{ pointer: `/routes/${index}/options`, code: 'invalid_json', detail }]);
  }
}

/** With the line and column where the text stops being JSON. */
function placed(message: string, text: string): string {
  const [, offset] = /position (\d+)/.exec(message) ?? [];
  if (offset === undefined || /line \d+/.test(message)) return message;
  const before = text.slice(0, Number(offset)).split('\n');
  return `${message} (line ${before.length} column ${(before.at(-1) ?? '').length + 1})`;
}
