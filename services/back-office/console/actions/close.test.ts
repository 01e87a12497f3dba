import { expect, it } from 'vitest';
import { Problem } from '#shared/platform/http/problems.ts';
import { renderToText } from '#shared/platform/pages/html.ts';
import { providerObjects } from '#shared/application/operations/close-by-hand.ts';
import type { ConsoleView } from '../env.ts';
import { closeOperation } from './close.ts';

const russian = { t: ({ ru }: { ru: string }) => ru } as unknown as ConsoleView;
const refusalFor = (detail?: string) =>
  closeOperation.explainFault?.(
    russian,
    new Problem('close_not_allowed', detail === undefined ? {} : { detail }),
  );

it('explains in the reader’s language that the provider reports progress (R13.11)', () => {
  const text = refusalFor(providerObjects);
  expect(text && renderToText(text)).toContain('провайдер отвечает, что она в работе');
  expect(refusalFor()).toBeUndefined();
});
