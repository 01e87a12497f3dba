import { expect, it } from 'vitest';
import { createExportSlots } from './export-slots.ts';
import { ReaderPace } from './reader-pace.ts';

it('frees a slot once, also where a file ends twice', async () => {
  const slots = createExportSlots({ atOnce: 2, perHolder: 1, reservedForNew: 0, maxMs: 1 });
  const pace = new ReaderPace(() => 0);
  const [file, other] = [
    { holder: 'one', pace },
    { holder: 'other', pace },
  ];
  await slots.add(file);
  await slots.add(other);
  slots.remove(file);
  slots.remove(file);
  await expect(slots.add({ holder: 'other', pace })).rejects.toMatchObject({
    code: 'rate_limited',
  });
  await slots.add(file);
});
