import { z } from 'zod';
import { dayIn } from '#shared/application/pages/zone.ts';
import { dayMs } from '#shared/domain/day.ts';
import { toLocale, type View } from '../../frame/components.ts';

const monthsOffered = 24;

/** A month as `2026-11`. */
export const monthSchema = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/);

const shifted = (month: string, by: number): string => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
};

/** The current month there, and those before it. */
export function recentMonths(nowMs: number, zone: string): string[] {
  const current = dayIn(nowMs, zone).slice(0, 7);
  return Array.from({ length: monthsOffered }, (_, back) => shifted(current, -back));
}

export function daysOfMonth(month: string): { from: string; to: string } {
  const next = Date.parse(`${shifted(month, 1)}-01T00:00:00Z`);
  const last = new Date(next - dayMs).toISOString().slice(0, 10);
  return { from: `${month}-01`, to: last };
}

export const monthName = ({ language }: Pick<View, 'language'>, month: string): string =>
  new Intl.DateTimeFormat(toLocale(language), {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(Date.parse(`${month}-01T00:00:00Z`));
